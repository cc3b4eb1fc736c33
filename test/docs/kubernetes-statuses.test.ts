import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { supportedFeatures } from '../../src/controller/translate/gateway-class/supported-features.ts'
import { tableRows } from '../support/table-rows.ts'

const page = readFileSync('docs/reference/kubernetes-statuses.md', 'utf8')
const sources = globSync('src/controller/{translate,sinks/status}/**/*.ts')
  .filter((path) => !path.endsWith('.gen.ts'))
  .map((path) => readFileSync(path, 'utf8'))

const sections = [
  'GatewayClass',
  'Gateway',
  'Listeners',
  'ListenerSet',
  'Routes',
  'BackendTLSPolicy',
  'ProxyPolicy',
  'InferencePool',
  'ProxyModel',
] as const
type Section = (typeof sections)[number]

interface DocumentedCondition {
  readonly id: string
  readonly reason: string
  /** Without the ellipsis. */
  readonly message: string
}

const conditionsOf = (section: Section): readonly DocumentedCondition[] =>
  tableRows(page, section).map((cells) => {
    const [type = '', status = '', reason = '', , message = ''] = cells.map((cell) =>
      cell.replaceAll('`', ''),
    )
    return { id: `${type} ${status} ${reason}`, reason, message: message.replace(/ ?…$/, '') }
  })

const documented = sections.flatMap(conditionsOf)

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
}

interface GoldenStatus {
  readonly conditions?: readonly Condition[]
  readonly listeners?: readonly GoldenStatus[]
  readonly parents?: readonly GoldenStatus[]
  readonly ancestors?: readonly GoldenStatus[]
}

const sectionOf = (kind: string): Section => (kind.endsWith('Route') ? 'Routes' : (kind as Section))

/** The conditions of a status, with the section that has them. */
const written = (section: Section, status: GoldenStatus): readonly (readonly [Section, string])[] => [
  ...(status.conditions ?? []).map((one) => [section, `${one.type} ${one.status} ${one.reason}`] as const),
  ...(status.listeners ?? []).flatMap((listener) => written('Listeners', listener)),
  ...[...(status.parents ?? []), ...(status.ancestors ?? [])].flatMap((entry) => written(section, entry)),
]

/** Words of the sources that look like reasons. */
const otherWords =
  `True False Gateway Secret ListenerSet Service None GatewayClass ConfigMap BackendTLSPolicy Same
  PreferSameZone PathPrefix Selector RequestRedirect PreferSameNode Hostname Exact Cookie RegularExpression ReferenceGrant
  LoadBalancer GatewayDeployment Deployment AllowInsecureFallback All Unhealthy System ServiceAccount
  ResponseHeaderModifier RequestMirror RequestHeaderModifier ReplacePrefixMatch ReplaceFullPath PreferClose
  PodDisruptionBudget Permanent Passthrough NotIn Node Namespace In HorizontalPodAutoscaler Healthy Header ExternalName
  HTTPRoute GRPCRoute Ready Policy ProxyPolicy ProxyBackend InferencePool PreRouting Override ExtensionRef Exists EndpointSlice DoesNotExist DaemonSet CustomResourceDefinition ClientIP
  ProxyParameters PatchProblem Directory Pod FailOpen Status Internal ProxyModel`.split(/\s+/)

test('the reference of conditions', async (t) => {
  await t.test('lists every reason that the translation has', () => {
    const known = new Set([
      ...documented.flatMap(({ id }) => id.split(' ')),
      ...supportedFeatures('experimental'),
      ...otherWords,
    ])
    const words = sources.flatMap((source) => [...source.matchAll(/'([A-Z][a-z]+[A-Za-z0-9]*)'/g)])
    assert.ok(words.length > 100)
    assert.deepEqual(
      [...new Set(words.map(([, word = '']) => word))].filter((word) => !known.has(word)),
      [],
    )
  })

  await t.test('lists no other', () => {
    const others = documented.filter(
      ({ reason }) => !sources.some((source) => source.includes(`'${reason}'`)),
    )
    assert.deepEqual(others, [])
  })

  await t.test('has every condition of the cases of the translation', () => {
    const missing = new Set<string>()
    for (const path of globSync('test/controller/golden/*/status.yaml')) {
      const statuses = parse(readFileSync(path, 'utf8')) as Record<string, Record<string, GoldenStatus>>
      for (const [kind, objects] of Object.entries(statuses))
        for (const status of Object.values(objects))
          for (const [section, id] of written(sectionOf(kind), status))
            if (!conditionsOf(section).some((one) => one.id === id)) missing.add(`${section}: ${id}`)
    }
    assert.deepEqual([...missing], [])
  })

  await t.test('quotes the beginnings of messages', () => {
    const quoted = documented.filter(({ message }) => message !== '')
    assert.ok(quoted.length > 50)
    const all = sources.join('\n')
    assert.deepEqual(
      quoted.filter(({ message }) => !all.includes(message)),
      [],
    )
  })

  await t.test('lists the features of each channel', () => {
    const [, standard = '', experimental = ''] =
      /^Standard channel:\n\n(.*)\n\nExperimental channel, in addition:\n\n(.*)$/m.exec(page) ?? []
    const names = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    assert.deepEqual(names(standard), supportedFeatures('standard'))
    assert.deepEqual([...names(standard), ...names(experimental)].sort(), supportedFeatures('experimental'))
  })
})
