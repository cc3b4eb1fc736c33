import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import type { Resources } from '../../src/model/resources/resources.ts'

/** The meaning of a file, as text to compare. */
const meaning = (text: string): Resources => parseConfig(text, 'gateway.yaml', {}).resources

/** The same without locations. */
const withoutPlaces = (resources: Resources): string =>
  JSON.stringify({ ...resources, warnings: [] }, (name, value: unknown) =>
    name === 'origin' ? undefined : value,
  )

const route = (fields: string, more = ''): string =>
  `gateways: { default: { port: 3000 } }\nroutes: [{ ${fields} }]\n${more}`

suite('generated configuration files', () => {
  const same: Readonly<Record<string, readonly [written: string, plain: string]>> = {
    'null in place of an object': [
      route(
        'policies: { cors: null, backendTLS: ~, timeout: null }, name: null, matches: null, backends: [{ host: "a:1", policies: null }]',
        'services: null',
      ),
      route('policies: {}, backends: [{ host: "a:1" }]'),
    ],
    'null among fields that are refused when they are there': [
      route(
        'backends: [{ service: { name: default/b, port: 80 } }]',
        'services: [{ name: b, hostname: b, ports: { 80: 81 }, waypoint: null }]\nworkloads: [{ uid: w, workloadIps: [127.0.0.1], networkGateway: null, hostname: null, services: { default/b: { 80: 81 } } }]',
      ),
      route(
        'backends: [{ service: { name: default/b, port: 80 } }]',
        'services: [{ name: b, hostname: b, ports: { 80: 81 } }]\nworkloads: [{ uid: w, workloadIps: [127.0.0.1], services: { default/b: { 80: 81 } } }]',
      ),
    ],
    'an empty namespace': [
      `binds: [{ port: 3000, listeners: [{ namespace: '', routes: [{ namespace: "", name: r, backends: [{ service: { name: { namespace: '', hostname: b }, port: 80 } }, { service: { name: /b, port: 80 } }] }] }] }]
services: [{ name: b, namespace: '', hostname: b, ports: { 80: 81 } }]
workloads: [{ uid: w, namespace: '', workloadIps: [127.0.0.1], services: { /b: { 80: 81 } } }]
policies: [{ name: { name: p, namespace: '' }, target: { route: { name: r, namespace: '' } }, policy: { csrf: {} } }]`,
      `binds: [{ port: 3000, listeners: [{ routes: [{ name: r, backends: [{ service: { name: default/b, port: 80 } }, { service: { name: default/b, port: 80 } }] }] }] }]
services: [{ name: b, hostname: b, ports: { 80: 81 } }]
workloads: [{ uid: w, workloadIps: [127.0.0.1], services: { default/b: { 80: 81 } } }]
policies: [{ name: { name: p }, target: { route: { name: r } }, policy: { csrf: {} } }]`,
    ],
    'hboneMtlsPort of a workload, which only service meshes use': [
      route(
        'backends: [{ host: "a:1" }]',
        'workloads: [{ uid: w, workloadIps: [127.0.0.1], hboneMtlsPort: 15008 }]',
      ),
      route('backends: [{ host: "a:1" }]', 'workloads: [{ uid: w, workloadIps: [127.0.0.1] }]'),
    ],
    'reject in place of refuse': [
      route(
        'encodedSlashes: reject, backends: [{ host: "a:1" }]',
        'frontendPolicies: { http: { path: { encodedSlashes: reject } } }',
      ),
      route('encodedSlashes: refuse, backends: [{ host: "a:1" }]'),
    ],
  }
  for (const [what, [written, plain]] of Object.entries(same))
    test(what, () => assert.equal(withoutPlaces(meaning(written)), withoutPlaces(meaning(plain))))

  for (const [version, meant] of [
    ['1.1', '1.1'],
    ['"1.1"', '1.1'],
    ['HTTP/1.1', '1.1'],
    ['2', '2'],
    ['"2"', '2'],
    ['2.0', '2'],
    ['"2.0"', '2'],
    ['HTTP/2', '2'],
    ['HTTP/2.0', '2'],
  ] as const)
    test(`http.version ${version} is HTTP/${meant}`, () => {
      const [listener] =
        meaning(route(`backends: [{ host: "a:1", policies: { http: { version: ${version} } } }]`)).binds[0]
          ?.listeners ?? []
      assert.equal(listener?.routes[0]?.backends[0]?.policies.http?.version, meant)
    })

  test('free-form names keep an empty value, and a name without a value is not absent', () => {
    const [listener] =
      meaning(
        route('policies: { requestHeaderModifier: { set: { namespace: "" } } }, backends: [{ host: "a:1" }]'),
      ).binds[0]?.listeners ?? []
    assert.deepEqual(listener?.routes[0]?.policies.requestHeaderModifier?.set, [['namespace', '']])
    const refused: Readonly<Record<string, RegExp>> = {
      [route('policies: { requestHeaderModifier: { set: { x-a: null } } }')]: /x-a/,
      'gateways: { default: { port: 3000 } }\nroutes:\n  - policies:\n      csrf:\n': /csrf/,
      'gateways: { default: null }': /default/,
      'gateways: { default: { port: null } }': /port is required/,
      [route('backends: [null]')]: /backends/,
    }
    for (const [text, problem] of Object.entries(refused)) assert.throws(() => meaning(text), problem, text)
  })

  test('an invalid backend remains a backend', () => {
    const [listener] = meaning(route('backends: [{ invalid: null }]')).binds[0]?.listeners ?? []
    assert.equal(listener?.routes[0]?.backends[0]?.target.kind, 'invalid')
  })
})
