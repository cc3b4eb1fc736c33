import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import type { Daemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { requestOutcome, serveGateway } from './support/served-gateway.ts'

/*
 * What users of gateways expect of their routes, and have often not got: each case is a route as it is written in a
 * cluster, translated and served by a gateway in its own process.
 */

const common = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners:
    - { name: any, port: 8080, protocol: HTTP }
    - { name: apex, port: 8080, protocol: HTTP, hostname: business.example }
    - { name: below, port: 8080, protocol: HTTP, hostname: '*.business.example' }
`

/** The objects of a Service with one endpoint. */
const service = (name: string, { port }: EchoUpstream): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80, targetPort: 8080 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
`

/** A route of the host name of its name, unless it has others. */
const route = (
  name: string,
  rules: string,
  { hostnames = `[${name}.test]`, createdAt = '2026-01-01T00:00:00Z', section = 'any' } = {},
): string => `
---
kind: HTTPRoute
metadata: { namespace: shop, name: ${name}, creationTimestamp: '${createdAt}' }
spec:
  parentRefs: [{ name: web, ${section === '' ? '' : `sectionName: ${section}`} }]
  hostnames: ${hostnames}
  rules: ${rules}
`

const to = (name: string) => `backendRefs: [{ name: ${name}, port: 80 }]`
const prefix = (path: string) => `matches: [{ path: { type: PathPrefix, value: ${path} } }]`
const rewrite = (text: string) =>
  `filters: [{ type: URLRewrite, urlRewrite: { path: { type: ReplacePrefixMatch, replacePrefixMatch: "${text}" } } }]`
const redirect = (fields: string) => `filters: [{ type: RequestRedirect, requestRedirect: { ${fields} } }]`

const routes = [
  route('added-prefix', `[{ ${prefix('/')}, ${rewrite('/consumer')}, ${to('a')} }]`),
  route('added-slash', `[{ ${prefix('/')}, ${rewrite('/consumer/')}, ${to('a')} }]`),
  route('stripped', `[{ ${prefix('/v1')}, ${rewrite('/')}, ${to('a')} }]`),
  route('stripped-to-nothing', `[{ ${prefix('/v1/')}, ${rewrite('')}, ${to('a')} }]`),
  route('slashes', `[{ ${prefix('/service/')}, ${rewrite('/api/service/')}, ${to('a')} }]`),
  route(
    'full-path',
    `[{ filters: [{ type: URLRewrite, urlRewrite: { hostname: inner.example, path: { type: ReplaceFullPath, replaceFullPath: /one } } }], ${to('a')} }]`,
  ),
  route(
    'moved',
    `[{ ${redirect('path: { type: ReplaceFullPath, replaceFullPath: /new }, statusCode: 301')} }]`,
  ),
  route(
    'moved-prefix',
    `[{ ${prefix('/old')}, ${redirect('hostname: new.example, path: { type: ReplacePrefixMatch, replacePrefixMatch: / }')} }]`,
  ),
  route(
    'regex',
    `[{ matches: [{ path: { type: RegularExpression, value: '/user/[0-9]+' } }], ${to('a')} }, { ${prefix('/')}, ${to('b')} }]`,
  ),
  route('host-first-special', `[{ ${prefix('/')}, ${to('a')} }]`, { hostnames: '[api.host-first.test]' }),
  route('host-first-general', `[{ ${prefix('/deep/path')}, ${to('b')} }]`, {
    hostnames: '["*.host-first.test"]',
  }),
  route('everywhere', `[{ ${prefix('/auth')}, ${to('a')} }]`, { hostnames: '[]', section: '' }),
  route(
    'secure',
    `[{ filters: [{ type: RequestRedirect, requestRedirect: { scheme: https } }, { type: ResponseHeaderModifier, responseHeaderModifier: { set: [{ name: strict-transport-security, value: max-age=60 }] } }] }]`,
  ),
  route(
    'encoded',
    `[{ matches: [{ path: { type: Exact, value: /a%20b } }], ${to('a')} }, { ${prefix('/')}, ${to('b')} }]`,
  ),
  route('exact', `[{ matches: [{ path: { type: Exact, value: /a } }], ${to('a')} }]`),
  route(
    'weightless',
    `[{ backendRefs: [{ name: a, port: 80, weight: 0 }, { name: b, port: 80, weight: 0 }] }]`,
  ),
  route('query', `[{ matches: [{ queryParams: [{ name: v, value: 'a b' }] }], ${to('a')} }, { ${to('b')} }]`),
  route('older', `[{ ${prefix('/x')}, ${to('a')} }]`, {
    hostnames: '[age.test]',
    createdAt: '2026-01-01T00:00:00Z',
  }),
  route('a-younger', `[{ ${prefix('/x')}, ${to('b')} }]`, {
    hostnames: '[age.test]',
    createdAt: '2026-01-02T00:00:00Z',
  }),
  route(
    'missing',
    `[{ filters: [{ type: RequestMirror, requestMirror: { backendRef: { name: nothing, port: 80 } } }], ${to('a')} }]`,
  ),
  route(
    'header-name',
    `[{ matches: [{ headers: [{ name: X-Version, value: two }] }], ${to('a')} }, { ${to('b')} }]`,
  ),
]

/** A gateway that serves the routes, with the upstreams of the Services. */
const startRoutes = async (stack: AsyncDisposableStack): Promise<Daemon> => {
  const a = stack.use(await startEcho('a'))
  const b = stack.use(await startEcho('b'))
  const text = [common, service('a', a), service('b', b), ...routes].join('')
  const graph = goldenGraph(readGoldenObjects(text, (one) => one))
  return stack.use(await serveGateway(graph, 'shop/web'))
}

test('translated routes', async (t) => {
  await using stack = new AsyncDisposableStack()
  const daemon = await startRoutes(stack)

  /** Requests of a case, and what they lead to. */
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a prefix is put before every path': {
      'http://added-prefix.test/path?x=1': 'a added-prefix.test/consumer/path?x=1',
      'http://added-prefix.test/': 'a added-prefix.test/consumer/',
      'http://added-slash.test/path': 'a added-slash.test/consumer/path',
    },
    'a prefix is taken away, and leaves a path': {
      'http://stripped.test/v1/count?x=1': 'a stripped.test/count?x=1',
      'http://stripped.test/v1?x=1': 'a stripped.test/?x=1',
      'http://stripped.test/v1/': 'a stripped.test/',
      'http://stripped.test/v10': '404',
      'http://stripped-to-nothing.test/v1/a': 'a stripped-to-nothing.test/a',
      'http://stripped-to-nothing.test/v1': 'a stripped-to-nothing.test/',
    },
    'slashes at the ends of prefixes are not doubled': {
      'http://slashes.test/service/version': 'a slashes.test/api/service/version',
      'http://slashes.test/service': 'a slashes.test/api/service',
    },
    'a replaced path keeps the query': {
      'http://full-path.test/a/b?x=%2F': 'a inner.example/one?x=%2F',
      'http://moved.test/a/b?x=1': `301 http://moved.test:${new URL(daemon.url('web')).port}/new?x=1`,
      'http://moved-prefix.test/old/a?x=1': `302 http://new.example:${new URL(daemon.url('web')).port}/a?x=1`,
    },
    'a regular expression matches before a shorter prefix': {
      'http://regex.test/user/12': 'a regex.test/user/12',
      'http://regex.test/user/x': 'b regex.test/user/x',
    },
    'a host name decides before a longer path of a wildcard': {
      'http://api.host-first.test/deep/path': 'a api.host-first.test/deep/path',
      'http://web.host-first.test/deep/path': 'b web.host-first.test/deep/path',
    },
    'a route without host names serves a domain, its subdomains and the rest by three listeners': {
      'http://business.example/auth': 'a business.example/auth',
      'http://a.b.business.example/auth': 'a a.b.business.example/auth',
      'http://other.example/auth': 'a other.example/auth',
    },
    'an exact path has no slash more, and no other case': {
      'http://exact.test/a?b': 'a exact.test/a?b',
      'http://exact.test/a/': '404',
      'http://exact.test/A': '404',
      'http://encoded.test/a%20b': 'a encoded.test/a%20b',
      'http://encoded.test/a%20b/': 'b encoded.test/a%20b/',
    },
    'values of queries are decoded before they are compared': {
      'http://query.test/?v=a%20b': 'a query.test/?v=a%20b',
      'http://query.test/?v=a+b': 'a query.test/?v=a+b',
      'http://query.test/?v=a': 'b query.test/?v=a',
    },
    'backends without any weight get nothing': { 'http://weightless.test/': '500' },
    'a mirror that is missing does not concern the request': { 'http://missing.test/': 'a missing.test/' },
    'the older of two routes with the same match serves': { 'http://age.test/x': 'a age.test/x' },
  }
  for (const [name, requests] of Object.entries(cases))
    await t.test(name, async () => {
      for (const [url, expected] of Object.entries(requests))
        assert.equal(await requestOutcome(daemon, url), expected, url)
    })

  await t.test('names of headers match in any case', async () => {
    const received = await requestOutcome(daemon, 'http://header-name.test/', { 'x-vErSion': 'two' })
    assert.equal(received, 'a header-name.test/')
    assert.equal(await requestOutcome(daemon, 'http://header-name.test/'), 'b header-name.test/')
  })

  await t.test('a redirect has the headers that the rule adds to replies', async () => {
    const { status, headers } = await sendRequest(daemon.url('web'), '/a?b', {
      headers: { host: 'secure.test' },
    })
    assert.equal(status, 302)
    assert.equal(headers.location, 'https://secure.test/a?b')
    assert.equal(headers['strict-transport-security'], 'max-age=60')
  })
})
