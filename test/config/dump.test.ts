import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpConfig } from '../../src/config/dump.ts'
import { parseConfig } from '../../src/config/parse.ts'

const build = { version: '1.2.3', gitRevision: 'abc' }

interface Dump {
  readonly binds: readonly { readonly listeners: Readonly<Record<string, Record<string, unknown>>> }[]
  readonly backends: readonly unknown[]
  readonly policies: readonly unknown[]
  readonly routes: { readonly routeGroups: Readonly<Record<string, object>> }
  readonly warnings: readonly unknown[]
  readonly [key: string]: unknown
}

const dump = (text: string, env: Readonly<Record<string, string>> = {}): Dump =>
  JSON.parse(JSON.stringify(dumpConfig(parseConfig(text, 'gw.yaml', env), build))) as Dump

test('a configuration dump', async (t) => {
  await t.test('of the binds form has the names and keys of the reference', () => {
    const key = 'default/default/bind/3000/listener0'
    const route = `${key}/default/route0`
    const { binds, routes, backends } = dump(
      'binds: [{port: 3000, listeners: [{routes: [{backends: [{host: 127.0.0.1:8081}]}]}]}]',
    )
    assert.deepEqual(binds, [
      {
        key: 'bind/3000',
        address: '[::]:3000',
        protocol: 'http',
        tunnelProtocol: 'direct',
        mode: 'standard',
        listeners: {
          [key]: {
            key,
            gatewayName: 'default',
            gatewayNamespace: 'default',
            listenerName: 'listener0',
            hostname: '',
            protocol: 'HTTP',
            routes: {
              [route]: {
                key: route,
                name: 'route0',
                namespace: 'default',
                matches: [{ path: { pathPrefix: '/' } }],
                backends: [{ weight: 1, backend: `/${route}/backend0` }],
              },
            },
          },
        },
      },
    ])
    assert.deepEqual(routes, { httpMesh: {}, tcpMesh: {}, routeGroups: {} })
    assert.deepEqual(backends, [
      { backend: { host: { name: `${route}/backend0`, namespace: '', target: '127.0.0.1:8081' } } },
    ])
  })

  await t.test('of gateways has the names and keys of the reference', () => {
    const text =
      'gateways: {default: {port: 3000}}\nroutes: [{name: main, backends: [{host: 127.0.0.1:8081}]}]'
    const listener = dump(text).binds[0]?.listeners['gateway/default']
    assert.deepEqual(
      [listener?.listenerName, listener?.hostname, Object.keys(listener?.routes ?? {})],
      ['default', '*', ['gateway/default/default/main']],
    )
  })

  await t.test('has every section and the process information', () => {
    const all = dump('gateways: {default: {port: 3000}}')
    assert.deepEqual(
      Object.keys(all),
      'workloads services binds routes policies backends health models frontendPolicies version config hash warnings'.split(
        ' ',
      ),
    )
    assert.deepEqual(all.version, {
      version: '1.2.3',
      git_revision: 'abc',
      node_version: process.versions.node,
      build_profile: 'release',
      build_target: `${process.arch}-${process.platform}`,
    })
    assert.deepEqual((all.config as Record<string, unknown>).backend, {
      poolMaxSize: null,
      keepalives: { enabled: true, time: '3m0s', interval: '3m0s', retries: 9 },
      connectTimeout: '10s',
      poolIdleTimeout: '1m30s',
    })
    assert.match(String(all.hash), /^[0-9a-f]{16}$/)
  })

  await t.test('shows policies, groups and TLS', () => {
    const all = dump(`
gateways: {default: {port: 3443, tls: {cert: a.crt, key: a.key, minTLSVersion: TLS_V1_3}}, raw: {port: 1, protocol: TLS}}
routes: [{backends: [{routeGroup: g}, {invalid: null}], policies: {timeout: {requestTimeout: 90s}, delay: {duration: 1500ms}}}]
tcpRoutes: [{gateways: raw, backends: [{service: {name: default/s, port: 80}}]}]
services: [{name: s, hostname: s, ports: {'80': 8080}}]
routeGroups: [{name: g, routes: [{backends: [{dynamic: {allow: {hosts: [a]}}}]}]}]
policies: [{name: {name: p}, target: {gateway: {gatewayName: default}}, phase: gateway, policy: {cors: {allowOrigins: ['*']}}}]
`)
    const listener = all.binds[0]?.listeners['gateway/default']
    assert.deepEqual(listener?.protocol, {
      HTTPS: { certificateSource: { static: { cert: 'a.crt', key: 'a.key' } }, minVersion: 'TLSv1.3' },
    })
    assert.deepEqual(all.binds[1]?.listeners['gateway/raw']?.protocol, { TLS: null })
    const [route] = Object.values(listener.routes ?? {}) as Record<string, unknown>[]
    assert.deepEqual(
      [route?.backends, route?.inlinePolicies],
      [
        [
          { weight: 1, routeGroup: 'g' },
          { weight: 1, invalid: null },
        ],
        [{ timeout: { requestTimeout: '1m30s' } }, { delay: { duration: '1.5s' } }],
      ],
    )
    assert.deepEqual(Object.keys(all.routes.routeGroups.g ?? {}), ['routeGroup/g/default/route0'])
    assert.deepEqual(all.policies, [
      {
        key: 'default/p',
        name: { name: 'p', namespace: 'default' },
        target: { gateway: { gatewayName: 'default', gatewayNamespace: 'default' } },
        phase: 'gateway',
        policy: { cors: { allowOrigins: ['*'], allowCredentials: false } },
      },
    ])
    assert.deepEqual(all.backends, [
      {
        backend: {
          dynamic: { name: 'routeGroup/g/default/route0/backend0', namespace: '', allow: { hosts: ['a'] } },
        },
      },
    ])
  })

  await t.test('shows attached frontend policies, without credentials, and what overrides', () => {
    const { policies } = dump(`
gateways: { default: { port: 3000 } }
policies:
  - name: { name: log }
    target: { gateway: { gatewayName: default, port: 3000 } }
    policy: { frontend: { connect: { mode: route }, tracing: { host: 'otlp:4317', headers: { authorization: Bearer s3cr3t } } } }
  - { name: { name: cors }, target: { gateway: { gatewayName: default } }, inheritance: override, policy: { csrf: {} } }
`)
    const [first, second] = policies as readonly Readonly<Record<string, Record<string, unknown>>>[]
    assert.equal(first?.phase, 'frontend')
    assert.deepEqual((first.policy?.frontend as { connect: unknown }).connect, { mode: 'route' })
    assert.doesNotMatch(JSON.stringify(first), /s3cr3t/)
    assert.deepEqual([first.inheritance, second?.inheritance], [undefined, 'override'])
  })

  await t.test('lists warnings', () => {
    const { warnings } = dump(
      'gateways: {default: {port: 1}}\nroutes: [{backends: [{host: a:1}]}, {backends: [{host: a:1}]}]',
    )
    assert.deepEqual(
      warnings.map((one) => (one as { code: string }).code),
      ['identical_matchers'],
    )
  })

  await t.test('contains no credentials', () => {
    const all = dump(
      `gateways: {default: {port: 1}}
config: {sensitiveHeaders: [x-badge]}
routes:
  - policies:
      requestHeaderModifier: {set: {Authorization: 'Bearer s3cr3t-one', X-Api-Key: s3cr3t-two, X-Badge: s3cr3t-three, x-plain: 'k=$API_TOKEN', x-shown: yes-this}}
      directResponse: {status: 200, bodyExpression: "'$API_TOKEN'", headers: {Set-Cookie: '"a=s3cr3t-five"'}}
`,
      { API_TOKEN: 's3cr3t-four' },
    )
    const text = JSON.stringify(all)
    assert.doesNotMatch(text, /s3cr3t/)
    assert.match(text, /yes-this/)
  })
})
