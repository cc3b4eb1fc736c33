import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileConfiguration } from '../../src/config/compile.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { Registry } from '../../src/upstream/registry.ts'

const load = (text: string) => parseConfig(text, 'gateway.yaml', {})
const warned = (text: string) =>
  load(text).warnings.map(({ code, line, column, path }) => [code, line, column, path])

const gateway = (more = '') => `gateways: { default: { port: 3000${more} } }\n`
const strict = '{ mode: strict, keys: [{ key: abcdefgh }] }'
const route = (policies = '') => `routes:
  - name: admin
    policies: {${policies}}
    backends: [{ internal: forward }]
`

test('an unprotected route to the admin interface causes a warning at its location', () => {
  const warning = ['internal_without_authorization', 5, 18, 'routes[0].backends[0].internal']
  for (const text of [
    gateway() + route(),
    gateway() + route(' cors: { allowOrigins: [https://a.example] } '),
    gateway() + route(' authorization: { rules: [] } '),
    gateway() + route(' apiKey: { keys: [{ key: abcdefgh }] } '),
    gateway() + route(' apiKey: { mode: permissive, keys: [{ key: abcdefgh }] } '),
    `${gateway()}${route()}  - { name: other, matches: [{ path: { exact: /x } }], backends: [{ host: a:1 }] }\npolicies: [{ name: { name: p }, target: { route: { name: other } }, policy: { apiKey: ${strict} } }]\n`,
  ])
    assert.deepEqual(
      warned(text).filter(([code]) => code === warning[0]),
      [warning],
      text,
    )
})

test('no warning if policies of the route, its listener, its backend or its group refuse requests', () => {
  for (const text of [
    gateway() + route(` apiKey: ${strict} `),
    gateway() + route(` authorization: { rules: ['source.address == "10.0.0.1"'] } `),
    gateway(`, apiKey: ${strict}`) + route(),
    `${gateway()}${route()}frontendPolicies: { networkAuthorization: { rules: ['source.address == "10.0.0.1"'] } }\n`,
    `${gateway()}${route()}policies: [{ name: { name: p }, target: { route: { name: admin } }, policy: { apiKey: ${strict} } }]\n`,
    `${gateway()}${route()}policies: [{ name: { name: p }, target: { gateway: { gatewayName: default } }, policy: { apiKey: ${strict} } }]\n`,
    `${gateway()}backends: [{ name: b, internal: forward, policies: { authorization: { rules: ['source.address == "10.0.0.1"'] } } }]\nroutes: [{ backends: [{ backend: b }] }]\n`,
    `${gateway()}routeGroups: [{ name: g, routes: [{ backends: [{ internal: forward }] }] }]\nroutes: [{ policies: { apiKey: ${strict} }, backends: [{ routeGroup: g }] }]\n`,
  ])
    assert.deepEqual(warned(text), [], text)
})

test('a warning if the listener lets in clients without the certificate that it asks for', () => {
  const files = 'cert: a.pem, key: a.key, root: ca.pem'
  const codes = (tls: string) => warned(gateway(`, tls: { ${tls} }`) + route()).map(([code]) => code)
  assert.deepEqual(codes(files), [])
  assert.deepEqual(codes(`${files}, clientCertificates: allowInsecureFallback`), [
    'internal_without_authorization',
  ])
})

test('a warning of a bind is about the policies of its own gateway', () => {
  const bind = (gatewayName: string) => `binds:
  - port: 3000
    listeners: [{ gatewayName: ${gatewayName}, routes: [{ backends: [{ internal: forward }] }] }]
  - port: 3001
    listeners: [{ gatewayName: shop, routes: [] }]
policies: [{ name: { name: p }, target: { gateway: { gatewayName: shop } }, policy: { apiKey: ${strict} } }]\n`
  const codes = (gatewayName: string) => warned(bind(gatewayName)).map(([code]) => code)
  assert.deepEqual(codes('shop'), ['deprecated_field'])
  assert.deepEqual(codes('other'), ['deprecated_field', 'internal_without_authorization'])
})

test('a warning if one of two routes is unprotected', () => {
  const group = 'routeGroups: [{ name: g, routes: [{ backends: [{ internal: forward }] }] }]\n'
  const ways = `routes: [{ policies: { apiKey: ${strict} }, backends: [{ routeGroup: g }] }, { matches: [{ path: { exact: /x } }], backends: [{ routeGroup: g }] }]\n`
  assert.deepEqual(
    warned(gateway() + group + ways).map(([code]) => code),
    ['internal_without_authorization'],
  )
  const two = `gateways: { a: { port: 1, apiKey: ${strict} }, b: { port: 2 } }\nroutes: [{ gateways: [a, b], backends: [{ internal: forward }] }]\n`
  assert.deepEqual(
    warned(two).map(([code]) => code),
    ['internal_without_authorization'],
  )
})

test('an internal backend with an invalid path, or with that of the shutdown, is refused', () => {
  const one = (target: string) => () =>
    load(`${gateway()}routes: [{ backends: [{ internal: "${target}" }] }]\n`)
  assert.throws(one('forwards'), /2:35: .*must be forward, or a path that starts with "\/"/)
  assert.throws(one('/quitquitquit'), /cannot be reached through a route/)
  assert.throws(one('/a b'), /must be a path of visible ASCII characters/)
  assert.throws(one(''), /must be forward/)
})

test('connection policies have no effect on the admin interface, and health checks are refused', () => {
  const text = (policies: string) =>
    `${gateway()}backends: [{ name: b, internal: forward, policies: { ${policies} } }]\n`
  assert.deepEqual(warned(text('tcp: { connectTimeout: 1s }, backendTLS: {}')), [
    ['no_effect', 2, 42, 'backends[0].policies'],
  ])
  assert.throws(
    () => load(text('health: { active: { tcp: {} } }')),
    /internal backends have no endpoints that could be checked/,
  )
})

test('without an admin interface, compiling a route to it fails with the name of the backend', async () => {
  const registry = new Registry()
  try {
    assert.throws(
      () => compileConfiguration(load(gateway() + route()), { registry, rescuer: faultReply() }),
      /backend \/.*default\/admin\/backend0 is internal, and there is no admin interface here/,
    )
  } finally {
    await registry.close()
  }
})
