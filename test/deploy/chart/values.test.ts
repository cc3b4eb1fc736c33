import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { parseManifest } from '../../kubernetes/lab/apply-manifest.ts'
import { permissionsOf, type RoleRule } from '../../kubernetes/lab/permissions.ts'
import { valuesTable } from './values-table.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}
type Values = Readonly<Record<string, unknown>>

const folder = 'deploy/charts/agentgateway'
const values = parse(readFileSync(`${folder}/values.yaml`, 'utf8')) as Values
const schema = JSON.parse(readFileSync(`${folder}/values.schema.json`, 'utf8')) as Schema
const validate = new Ajv({ allowUnionTypes: true, strictRequired: false }).compile(schema)

/** Values that Kubernetes alone checks; every other object has a schema that knows its keys, or the type of its values. */
const freeForm: ReadonlySet<string> = new Set(['podSecurityContext', 'securityContext'])

const keys = new Set(valuesTable.map(([key]) => key))
/** Everything above a key: `controller.image` for `controller.image.tag`. */
const sections = new Set(
  [...keys].flatMap((key) =>
    key
      .split('.')
      .slice(0, -1)
      .map((_, index, names) => names.slice(0, index + 1).join('.')),
  ),
)

const read = (from: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Values | undefined)?.[name], from)

/** The values with one of them replaced. */
const changed = (path: string, value: unknown): Values => {
  const copy = structuredClone(values)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<Record<string, unknown>>(
    (inner, name) => inner[name] as Record<string, unknown>,
    copy,
  )
  parent[last] = value
  return copy
}

/** Paths that are neither sections nor below a key. */
const leaves = (value: unknown, path: string): readonly string[] =>
  path !== '' && !sections.has(path)
    ? [path]
    : Object.entries(value as Values).flatMap(([name, inner]) =>
        leaves(inner, path === '' ? name : `${path}.${name}`),
      )

const schemaAt = (path: string): Schema | undefined =>
  path.split('.').reduce<Schema | undefined>((inner, name) => inner?.properties?.[name], schema)

const schemaLeaves = (inner: Schema, path: string): readonly string[] =>
  path !== '' && !sections.has(path)
    ? [path]
    : Object.entries(inner.properties ?? {}).flatMap(([name, next]) =>
        schemaLeaves(next, path === '' ? name : `${path}.${name}`),
      )

test('the values of the chart', async (t) => {
  await t.test('are those of the table, with its defaults', () => {
    assert.deepEqual([...leaves(values, '')].sort(), [...keys].sort())
    for (const [key, , standard] of valuesTable) assert.deepEqual(read(values, key), standard, key)
  })

  await t.test('have a schema for each, of its type, and no other', () => {
    // A chart that another one depends on gets `global` from Helm, and `enabled` if that is the condition.
    assert.deepEqual([...schemaLeaves(schema, '')].sort(), [...keys, 'enabled', 'global'].sort())
    for (const [key, type] of valuesTable) {
      const found = schemaAt(key)?.type
      if (type === 'null-able') assert.ok(Array.isArray(found) && found.includes('null'), key)
      else assert.equal(found, type, key)
    }
  })

  await t.test('pass the schema as they are', () => {
    assert.ok(validate(values), JSON.stringify(validate.errors))
  })

  await t.test('are refused with a key that is not in the table, in every section', () => {
    for (const section of ['', ...sections])
      assert.equal(validate(changed(section === '' ? 'misspelt' : `${section}.misspelt`, 1)), false, section)
  })

  await t.test('are refused with a value of another type', () => {
    for (const [key, type] of valuesTable)
      for (const other of ['text of no meaning', 7.5, [7.5], { a: { b: 1 } }, true]) {
        const isRight =
          (type === 'string' && typeof other === 'string') ||
          ((type === 'boolean' || key === 'controller.service.allocateLoadBalancerNodePorts') &&
            other === true) ||
          (freeForm.has(key) && typeof other === 'object' && !Array.isArray(other))
        if (!isRight) assert.equal(validate(changed(key, other)), false, `${key}: ${JSON.stringify(other)}`)
      }
  })

  await t.test('are refused where they contradict themselves, or the control plane would refuse them', () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['controller.logLevel', 'verbose'],
      ['controller.xds.mode', 'TLS'],
      ['controller.xds.mode', ''],
      ['controller.replicaCount', -1],
      ['controller.service.ports.health', 0],
      ['controller.service.ports.health', 65_536],
      ['controller.service.type', 'Clusterip'],
      ['controller.image.repository', ''],
      ['controller.extraEnv', { A: null }],
      ['controller.extraEnv', { A: ['x'] }],
      ['controller.extraEnv', { A: {} }],
      ['controller.extraEnv', { A: { value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } } }],
      ['controller.extraEnv', { A: { valueFrom: {} } }],
      ['controller.extraEnv', { 'A=B': 'x' }],
      ['controller.horizontalPodAutoscaler', { maxReplicas: 3, scaleTargetRef: {} }],
      ['controller.horizontalPodAutoscaler', { minReplicas: 2 }],
      ['controller.verticalPodAutoscaler', { targetRef: {} }],
      ['controller.podDisruptionBudget', { minAvailable: 1, selector: {} }],
      ['controller.podDisruptionBudget', { minAvailable: 1, maxUnavailable: 1 }],
      ['controller.strategy', { rollingUpdate: { maxUnavailble: 0 } }],
      ['controller.revisionHistoryLimit', -1],
      ['controller.service.sessionAffinityConfig', { clientIP: { timeout: 60 } }],
      ['rbac.gatewayNamespaces', ['shop', 'shop']],
      ['rbac.gatewayNamespaces', ['*']],
      ['rbac.gatewayNamespaces', ['']],
      ['resources', { limit: { memory: '1Gi' } }],
      ['affinity', { podAffinty: {} }],
      ['dnsConfig', { nameserver: ['10.96.0.10'] }],
      ['tolerations', [{ keys: 'dedicated' }]],
      ['controllerName', 'example.com'],
      ['gatewayClassName', 'Internal'],
      ['commonLabels', { team: 1 }],
      ['podAnnotations', { port: 9092 }],
      ['nodeSelector', { ssd: true }],
      ['fullnameOverride', 'Gateway_1'],
      ['image.pullPolicy', 'always'],
      ['imagePullSecrets', ['registry']],
      ['discoveryNamespaceSelectors', [{ matchLabel: { team: 'a' } }]],
      ['discoveryNamespaceSelectors', [{ matchExpressions: [{ key: 'team', operator: 'In' }] }]],
      [
        'discoveryNamespaceSelectors',
        [{ matchExpressions: [{ key: 'team', operator: 'Exists', values: ['a'] }] }],
      ],
      ['gatewayClassParametersRefs', { agentgateway: { name: 'a' } }],
      ['gatewayClassParametersRefs', { agentgateway: { namespace: 'a' } }],
      ['gatewayClassParametersRefs', { agentgateway: { name: '', namespace: 'a' } }],
      ['gatewayClassParametersRefs', { Internal: { name: 'a', namespace: 'a' } }],
      ['monitoring.proxy.gatewayClassNames', []],
      ['monitoring.serviceMonitor.interval', '15'],
      ['serviceAccount.create', 'false'],
    ]
    for (const [key, value] of wrong)
      assert.equal(validate(changed(key, value)), false, `${key}: ${JSON.stringify(value)}`)
  })

  await t.test('may leave out what is empty, as null does, but no section', () => {
    for (const [key, type, standard] of valuesTable) {
      if (type !== 'object' && (type !== 'array' || JSON.stringify(standard) !== '[]')) continue
      assert.ok(validate(changed(key, undefined)), key)
    }
    for (const section of sections) assert.equal(validate(changed(section, null)), false, section)
  })
})

test('the chart', async (t) => {
  await t.test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    const chart = parse(readFileSync(`${folder}/Chart.yaml`, 'utf8')) as Values
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
  })

  await t.test('grants what the manifest grants', () => {
    const roles = readFileSync(`${folder}/templates/role.yaml`, 'utf8')
    // Rules of features that are off by default are not granted; the others have no templates in them.
    const rendered = roles
      .replaceAll(/^ *\{\{- if \.Values.*\}\}\n[^{]*^ *\{\{- end \}\}\n/gm, '')
      .replaceAll(/^ *\{\{.*\}\}$\n/gm, '')
      .replaceAll(/\{\{.*?\}\}/g, 'x')
    const manifest = readFileSync('deploy/kubernetes/agentgateway.yaml', 'utf8')
    for (const kind of ['ClusterRole', 'Role'])
      assert.deepEqual(grantedBy(rendered, kind), grantedBy(manifest, kind))
  })

  await t.test('has the dashboards of the project', () => {
    const dashboards = {
      traffic: 'agentgateway',
      llm: 'agentgateway-llm',
      mcp: 'agentgateway-mcp',
      runtime: 'agentgateway-runtime',
    }
    for (const [name, copy] of Object.entries(dashboards))
      assert.equal(
        readFileSync(`${folder}/files/dashboards/${copy}.json`, 'utf8'),
        readFileSync(`config/observability/grafana/${name}.json`, 'utf8'),
        name,
      )
  })
})

const grantedBy = (text: string, kind: string): readonly string[] => {
  const roles = parseManifest(text).filter((object) => object.kind === kind)
  const granted = permissionsOf(
    roles.flatMap((role) => (role as { readonly rules?: readonly RoleRule[] }).rules ?? []),
  )
  assert.ok(granted.size > 3)
  return [...granted].sort()
}
