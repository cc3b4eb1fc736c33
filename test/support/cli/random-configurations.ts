import fc from 'fast-check'
import type { ConfigFile } from '../../../src/config/schema/file-types.gen.ts'

/** A request to one of the gateways of {@link configurations}. */
export interface RandomRequest {
  readonly gateway: 'plain' | 'named' | 'third'
  readonly method: string
  readonly target: string
  /** Name, value, name, value …; `host` first. */
  readonly headers: readonly string[]
  readonly body: string | undefined
}

const hosts = ['a.test', 'b.a.test', 'c.b.a.test', 'd.test', 'a.test:8080', 'A.TEST', '127.0.0.1']
const hostnames = ['a.test', '*.a.test', 'b.a.test', '*.test', '*', 'd.test', '*.b.a.test']
const paths = [
  '/',
  '/v1',
  '/v1/',
  '/v1/users',
  '/v1/users/7',
  '/v2',
  '/V1',
  '/v1x',
  '/old/page',
  '/deep/er/path',
]
const odd = [
  '/v1/../v2',
  '//v1',
  '/v1//users',
  '/%76%31',
  '/v1%2Fusers',
  '/v1/%2e%2e/v2',
  '/v1/./users',
  '/%zz',
  '*',
]
const queries = ['', '', '?q=1', '?q=2', '?q=1&q=2', '?p=x&q=1', '?q']
const methods = ['GET', 'GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']
const fields = ['x-tier', 'x-team', 'x-beta']
const values = ['gold', 'silver', '1', '']

const oneOf = <T>(...all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all)
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })

/** Requests that reach, or just miss, what the configurations match. */
export const requests: fc.Arbitrary<RandomRequest> = fc
  .record({
    gateway: oneOf('plain' as const, 'named' as const, 'third' as const),
    method: oneOf(...methods),
    path: fc.oneof({ weight: 5, arbitrary: oneOf(...paths) }, { weight: 1, arbitrary: oneOf(...odd) }),
    query: oneOf(...queries),
    host: oneOf(...hosts),
    fields: fc.array(fc.tuple(oneOf(...fields), oneOf(...values)), { maxLength: 3 }),
    origin: some(oneOf('https://app.test', 'https://evil.test')),
    authorization: some(oneOf('Bearer abc', `Basic ${Buffer.from('ann:secret').toString('base64')}`)),
    body: oneOf(undefined, undefined, '{"amount": 7}', 'text'),
  })
  .map(({ gateway, method, path, query, host, fields: pairs, origin, authorization, body }) => ({
    gateway,
    method,
    target: path === '*' ? '*' : path + query,
    headers: [
      'host',
      host,
      ...pairs.flat(),
      ...(origin === undefined ? [] : ['origin', origin]),
      ...(authorization === undefined ? [] : ['authorization', authorization]),
    ],
    body: ['POST', 'PUT'].includes(method) ? body : undefined,
  }))

const valueMatch = fc.oneof(
  oneOf(...values).map((exact) => ({ exact })),
  oneOf('g.*', '[0-9]+', 'silver|gold').map((regex) => ({ regex })),
)

const match = fc.record(
  {
    path: fc.oneof(
      oneOf(...paths).map((exact) => ({ exact })),
      oneOf(...paths).map((pathPrefix) => ({ pathPrefix })),
      oneOf('/v[0-9]+.*', '/v1/users/[0-9]+', '/(old|new)/.*', '/.*').map((regex) => ({ regex })),
    ),
    method: oneOf(...methods),
    headers: fc.array(fc.record({ name: oneOf(...fields, ':method', 'host'), value: valueMatch }), {
      maxLength: 2,
    }),
    query: fc.array(fc.record({ name: oneOf('q', 'p'), value: valueMatch }), { maxLength: 1 }),
  },
  { requiredKeys: [] },
)

const rule = oneOf(
  "request.method == 'GET'",
  "request.path.startsWith('/v1')",
  "request.headers['x-team'] == 'gold'",
  "request.host == 'a.test'",
  "source.address == '127.0.0.1'",
  "request.uri.contains('q=1')",
)
const authorization = fc.record({
  rules: fc.array(
    fc.oneof(
      rule,
      rule.map((deny) => ({ deny })),
      rule.map((require) => ({ require })),
    ),
    { minLength: 1, maxLength: 2 },
  ),
})

const modifier = fc.record(
  {
    set: oneOf({ 'x-set': 'here' }, { 'x-tier': 'set' }),
    add: oneOf({ 'x-added': '1' }),
    remove: oneOf(['x-beta'], ['x-tier']),
  },
  { requiredKeys: [] },
)

const transformations = oneOf(
  { request: { set: { 'x-path': 'request.path' } } },
  { request: { set: { ':path': "'/v2/changed'" } } },
  { request: { set: { 'x-tier': "'gold'" } } },
  { request: { remove: ['x-team'] } },
)

const cors = oneOf(
  { allowOrigins: ['https://app.test'], allowMethods: ['GET', 'POST'] },
  { allowOrigins: ['*'] },
)
const redirect = oneOf(
  { path: { full: '/moved' } },
  { scheme: 'https' as const, status: 308 },
  { path: { prefix: '/new' } },
)
const basicAuth = oneOf({ mode: 'strict' as const, htpasswd: 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=' })

const listenerPolicies = { authorization, cors, transformations }
const routePolicies = fc.record(
  {
    ...listenerPolicies,
    basicAuth,
    csrf: oneOf({}),
    requestHeaderModifier: modifier,
    responseHeaderModifier: modifier,
    urlRewrite: oneOf({ path: { prefix: '/rewritten' } }, { authority: { full: 'other.test' } }),
    requestRedirect: redirect,
    directResponse: oneOf({ status: 418, body: 'tea' }, { status: 503 }),
    buffer: oneOf({ request: { maxBytes: 8 } }),
  },
  { requiredKeys: [] },
)

/** Policies are rare, so that requests get through. */
const few = <T extends object>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.tuple(arbitrary, fc.array(fc.nat(), { minLength: 2, maxLength: 2 })).map(([all, picks]) => {
    const entries = Object.entries(all)
    const kept = new Set(
      picks.slice(0, (picks[0] ?? 0) % 3).map((pick) => pick % Math.max(1, entries.length)),
    )
    return Object.fromEntries(entries.filter((_, i) => kept.has(i))) as T
  })

const backendPolicies = fc.record(
  { requestHeaderModifier: modifier, requestRedirect: redirect, authorization, transformations },
  { requiredKeys: [] },
)

const backend = (host: string): fc.Arbitrary<object> =>
  fc
    .record({
      target: oneOf({ host }, { backend: 'one' }, { backend: 'two' }, { host }),
      weight: some(oneOf(0, 1, 2)),
      policies: some(few(backendPolicies)),
    })
    .map(({ target, weight, policies }) => ({
      ...target,
      ...(weight !== undefined && { weight }),
      ...(policies && { policies }),
    }))

const route = (host: string): fc.Arbitrary<object> =>
  fc
    .record({
      gateways: fc.subarray(['plain', 'named', 'named/first', 'named/second', 'third'], { minLength: 1 }),
      hostnames: some(fc.subarray(hostnames, { minLength: 1, maxLength: 2 })),
      matches: some(fc.array(match, { minLength: 1, maxLength: 3 })),
      policies: few(routePolicies),
      backends: fc.oneof(
        { weight: 6, arbitrary: fc.array(backend(host), { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
    })
    .map(({ gateways, hostnames: names, matches, policies, backends }) => ({
      gateways,
      ...(names && { hostnames: names }),
      ...(matches && { matches }),
      policies,
      backends,
    }))

const attached = fc
  .record({
    target: oneOf(
      { gateway: { gatewayName: 'plain' } },
      { gateway: { gatewayName: 'named', listenerName: 'first' } },
      { route: { name: 'r0' } },
      { gateway: { gatewayName: 'third' } },
    ),
    isForGateway: fc.boolean(),
    policies: few(fc.record(listenerPolicies, { requiredKeys: [] })),
  })
  .map(({ target, isForGateway, policies }) => ({
    target,
    ...(isForGateway && 'gateway' in target && { phase: 'gateway' as const }),
    policy: policies,
  }))

/** Configurations with three gateways, whose backends are all at one address. Some are invalid. */
export const configurations = (host: string): fc.Arbitrary<ConfigFile> =>
  fc
    .record({
      routes: fc.array(route(host), { minLength: 1, maxLength: 7 }),
      plain: few(fc.record(listenerPolicies, { requiredKeys: [] })),
      first: few(fc.record(listenerPolicies, { requiredKeys: [] })),
      names: fc.shuffledSubarray(hostnames, { minLength: 2, maxLength: 2 }),
      policies: fc.array(attached, { maxLength: 2 }),
      ofOne: few(backendPolicies),
    })
    .map(({ routes, plain, first, names, policies, ofOne }) => ({
      gateways: {
        plain: { port: 0, ...plain },
        named: {
          port: 0,
          listeners: [
            { name: 'first', hostname: names[0], ...first },
            { name: 'second', hostname: names[1] },
          ],
        },
        third: { port: 0 },
      },
      routes: routes.map((one, i) => ({ name: `r${i}`, ...one })),
      backends: [
        { name: 'one', host, policies: ofOne },
        { name: 'two', host },
      ],
      policies: policies.map((one, i) => ({ name: { name: `p${i}` }, ...one })),
    })) as fc.Arbitrary<ConfigFile>
