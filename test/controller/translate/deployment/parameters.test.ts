import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type { InputKind, MeshSettings } from '../../../../src/controller/kinds/inputs.ts'
import { type KubernetesObject, objectKey } from '../../../../src/controller/kinds/object.ts'
import { gatewayDeploymentPlan } from '../../../../src/controller/translate/deployment/deployment-plan-query.ts'

/*
 * Each file of `parameters` is a case: ProxyParameters `agentgateway-system/class`, which the class refers to,
 * `infra/web`, which the Gateway refers to, and further objects, which come in place of those of `cluster.yaml`. The
 * file of the same name in `parameters/out` has what they change of the objects that are deployed, line by line.
 */

const folder = new URL('parameters/', import.meta.url)

const read = (path: string): readonly KubernetesObject[] =>
  parseAllDocuments(readFileSync(new URL(path, folder), 'utf8'))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null)

const idOf = (object: KubernetesObject): string => `${object.kind} ${objectKey(object)}`

const deploymentPlan = gatewayDeploymentPlan({
  image: { registry: 'cr.agentgateway.dev', repository: 'agentgateway', tag: 'v1.2.3' },
  xds: { host: 'agentgateway.agentgateway-system.svc.cluster.local', port: 9978 },
  noListenersPort: 443,
  version: '1.2.3',
})

/** The plan for the Gateway of the objects, as lines. */
const planOf = (own: readonly KubernetesObject[], mesh?: MeshSettings): readonly string[] => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    ...(mesh && { mesh }),
  })
  const objects = new Map([...read('cluster.yaml'), ...own].map((object) => [idOf(object), object]))
  const refer = (id: string, kind: string, reference: object) => {
    const object = objects.get(id) as KubernetesObject & { readonly spec: Readonly<Record<string, object>> }
    const parametersRef = { group: 'agentgateway.dev', kind: 'ProxyParameters', ...reference }
    if (kind === 'class') return { ...object, spec: { parametersRef, ...object.spec } }
    const { infrastructure } = object.spec
    return { ...object, spec: { ...object.spec, infrastructure: { parametersRef, ...infrastructure } } }
  }
  if (objects.has('ProxyParameters agentgateway-system/class'))
    objects.set(
      'GatewayClass agentgateway',
      refer('GatewayClass agentgateway', 'class', { name: 'class', namespace: 'agentgateway-system' }),
    )
  if (objects.has('ProxyParameters infra/web'))
    objects.set('Gateway infra/web', refer('Gateway infra/web', 'gateway', { name: 'web' }))
  for (const object of objects.values()) graph.set(object.kind as InputKind, objectKey(object), object)
  const plan = graph.read(deploymentPlan, 'infra/web')
  assert.ok(plan)
  if ('failure' in plan) return [`${plan.failure.reason}: ${plan.failure.message}`]
  if ('missingSessionKey' in plan) return ['the session key is missing']
  return plan.objects.flatMap((object) => linesOf(object, subjectOf(object)))
}

/** What runs the pods is compared whatever it is. */
const subjectOf = ({ kind }: KubernetesObject): string =>
  kind === 'Deployment' || kind === 'DaemonSet' ? 'Workload' : kind

/** A line for each value; elements of lists by their names, if they have some. */
const linesOf = (value: unknown, path: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [`${path} = ${JSON.stringify(value)}`]
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [`[${nameOf(item) ?? String(index)}]`, item] as const)
    : Object.entries(value).map(([name, field]) => [`.${name}`, field] as const)
  return entries.length === 0
    ? [`${path} = ${JSON.stringify(value)}`]
    : entries.flatMap(([name, item]) => linesOf(item, `${path}${name}`))
}

const nameOf = (item: unknown): string | undefined => (item as { readonly name?: string } | null)?.name

/** Without what is different with every configuration. */
const changes = (before: readonly string[], after: readonly string[]): string =>
  [
    // Of a failure there is one line.
    ...before.filter((line) => after.length > 1 && !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
    .filter((line) => !line.includes('checksum/config'))
    .map((line) => `${line}\n`)
    .join('')

test('parameters of proxies', async (t) => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'cluster.yaml')
  assert.ok(files.length >= 47, String(files.length))
  const plain = planOf([])
  for (const file of files)
    await t.test(file, () => {
      const text = readFileSync(new URL(file, folder), 'utf8')
      const [, mesh] = /^# Settings of the mesh: (.*)$/m.exec(text) ?? []
      const own = read(file)
      const found = changes(
        plain,
        planOf(own, mesh === undefined ? undefined : (parse(mesh) as MeshSettings)),
      )
      const expected = new URL(`out/${file.replace(/yaml$/, 'txt')}`, folder)
      if (process.env.UPDATE_GOLDEN === '1' || !existsSync(expected)) writeFileSync(expected, found)
      assert.equal(found, readFileSync(expected, 'utf8'))
    })
})

test('the order of variables, mounts and volumes', () => {
  const lines = planOf(read('env-of-both.yaml'))
  const names = lines.flatMap((line) => /containers\[agentgateway\]\.env\[(.*)\]\.name/.exec(line)?.[1] ?? [])
  assert.deepEqual(names.slice(-5), ['INSTANCE_IP', 'SERVICE_ACCOUNT', 'OF_CLASS', 'CPU_LIMIT', 'OF_GATEWAY'])
})

test('parameters that are nested too deep are refused by their name', () => {
  const nested = (levels: number) =>
    JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Readonly<Record<string, unknown>>
  const planWith = (spec: object) =>
    planOf([
      { kind: 'ProxyParameters', metadata: { name: 'web', namespace: 'infra' }, spec },
    ] as unknown as readonly KubernetesObject[])
  const refusal = (name: string) =>
    `InvalidParameters: referenced Gateway ProxyParameters infra/web: ${name} is nested more than 100 levels deep`
  assert.equal(planWith({ rawConfig: nested(100) })[0], 'ServiceAccount.apiVersion = "v1"')
  // The API server takes 10,000 levels.
  for (const levels of [101, 9_000]) {
    assert.deepEqual(planWith({ rawConfig: nested(levels) }), [refusal('rawConfig')])
    assert.deepEqual(planWith({ deployment: { spec: nested(levels) } }), [refusal('deployment')])
  }
})
