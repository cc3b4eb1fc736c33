import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { TranslationSettings } from '../../../src/controller/kinds/inputs.ts'
import type { FormContext } from '../../../src/controller/schema/form-context.ts'
import { objectFormContext } from '../../../src/controller/translate/policy/object-form-context.ts'

const metadata = (name: string, namespace = 'ns', labels: Readonly<Record<string, string>> = {}) => ({
  name,
  namespace,
  labels,
})

/** What a form gets from its context, with the references and the problems. */
const lookUp = (use: (context: FormContext) => unknown, settings: Partial<TranslationSettings> = {}) => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    ...settings,
  })
  for (const namespace of ['ns', 'other'])
    graph.set('Service', `${namespace}/web`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('web', namespace),
      spec: { ports: [{ port: 80 }] },
    })
  for (const namespace of ['ns', 'other'])
    graph.set('InferencePool', `${namespace}/pool`, {
      apiVersion: 'inference.networking.k8s.io/v1',
      kind: 'InferencePool',
      metadata: metadata('pool', namespace),
      spec: {
        selector: { matchLabels: { app: 'one' } },
        targetPorts: [{ number: 8000 }, { number: 8001 }],
        endpointPickerRef: { name: 'none' },
      },
    })
  graph.set('Secret', 'ns/keys', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('keys', 'ns', { app: 'one' }),
    data: { key: Buffer.from(' value\n').toString('base64') },
    longKeys: ['long'],
  })
  graph.set('ConfigMap', 'ns/map', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('map', 'ns', { app: 'one' }),
    data: { key: 'value' },
  })
  const query = defineQuery('lookUp', (reads) => {
    const problems: string[] = []
    const references = new Set<string>()
    const holder = { kind: 'ProxyPolicy', namespace: 'ns', references, keySets: new Map() } as const
    const found = use(objectFormContext(reads, holder, (message) => problems.push(message)))
    return { found, problems, references: [...references] }
  })
  return graph.read(query, '')
}

test('the context of forms', async (t) => {
  await t.test('resolves a backend, and counts it among the references', () => {
    assert.deepEqual(
      lookUp((context) => context.endpoint({ backendRef: { name: 'web', port: 80 } })),
      {
        found: { service: { name: 'ns/web.ns.svc.cluster.local', port: 80 } },
        problems: [],
        references: ['Service/ns/web'],
      },
    )
  })

  await t.test('reports a backend that is not there', () => {
    const { found, problems } = lookUp((context) => context.backend({ name: 'none', port: 80 }))
    assert.deepEqual([found, problems], [undefined, ['Service ns/none was not found']])
  })

  await t.test('resolves a pool where models are served, whatever its picker is', () => {
    const pool = { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'pool' }
    const features = ['inferenceExtension'] as const
    const serving = (reference: object) => (context: FormContext) =>
      context.modelServer({ ...pool, ...reference })
    const found = {
      found: { service: { name: 'ns/pool.ns.inference.cluster.local', port: 8000 } },
      problems: [],
      references: ['InferencePool/ns/pool'],
    }
    assert.deepEqual(lookUp(serving({}), { features }), found)
    // Fields that the form does not have change nothing.
    assert.deepEqual(lookUp(serving({ port: 1, namespace: 'other' }), { features }), found)
    assert.deepEqual(lookUp(serving({ name: 'none' }), { features }).problems, [
      'InferencePool ns/none was not found',
    ])
    const unsupported = ['References to inference.networking.k8s.io/InferencePool are not supported']
    assert.deepEqual(lookUp(serving({})).problems, unsupported)
    assert.deepEqual(lookUp((context) => context.backend(pool), { features }).problems, unsupported)
  })

  await t.test('needs a grant for other namespaces in the mode route-and-policy only', () => {
    const use = (context: FormContext) => context.backend({ name: 'web', namespace: 'other', port: 80 })
    assert.deepEqual(lookUp(use).references, ['Service/other/web'])
    assert.deepEqual(lookUp(use, { backendGrants: 'none' }).references, ['Service/other/web'])
    assert.deepEqual(lookUp(use, { backendGrants: 'route-and-policy' }), {
      found: undefined,
      problems: ['No ReferenceGrant allows the reference to Service other/web'],
      references: [],
    })
  })

  await t.test('takes a URL without its path', () => {
    const { found } = lookUp((context) => context.endpoint({ url: 'https://example.com:8443/path' }))
    assert.deepEqual(found, { host: 'https://example.com:8443' })
  })

  await t.test('reads Secrets and ConfigMaps of the same namespace', () => {
    const { found, problems } = lookUp((context) => [
      context.secretKey({ name: 'keys' }, 'key'),
      context.secretKey({ name: 'keys', key: 'none' }, 'key'),
      context.secretKey({ name: 'keys', key: 'long' }, 'key'),
      context.secret({ name: 'none' }),
      context.secret({ name: 'keys', group: 'example.com', kind: 'Vault' }),
      context.configMapKey('map', 'key'),
      context.configMapKey('map', 'toString'),
      context.configMapKey('none', 'key'),
    ])
    assert.deepEqual(found, [
      'value',
      undefined,
      undefined,
      undefined,
      undefined,
      'value',
      undefined,
      undefined,
    ])
    assert.deepEqual(problems, [
      'Secret ns/keys has no key "none"',
      'Secret ns/keys: the value of "long" is longer than 12 KiB, and is not read',
      'Secret ns/none not found',
      'References to example.com/Vault are not supported',
      'ConfigMap ns/map has no key "toString"',
      'ConfigMap ns/none not found',
    ])
  })

  await t.test('lets a Secret lack what is optional, and reports what it has and cannot be read', () => {
    const { found, problems } = lookUp((context) =>
      ['key', 'none', 'toString', 'long'].map((key) =>
        context.secretKey({ name: 'keys', key, optional: true }, 'key'),
      ),
    )
    assert.deepEqual(found, ['value', undefined, undefined, undefined])
    assert.deepEqual(problems, ['Secret ns/keys: the value of "long" is longer than 12 KiB, and is not read'])
  })

  await t.test('finds objects by labels', () => {
    const { found } = lookUp((context) => [
      context.labelled('Secret', { app: 'one' }),
      context.labelled('ConfigMap', { app: 'one' }),
      context.labelled('ConfigMap', { app: 'two' }),
    ])
    assert.deepEqual(found, [
      [{ name: 'keys', texts: { key: 'value' } }],
      [{ name: 'map', texts: { key: 'value' } }],
      [],
    ])
  })
})
