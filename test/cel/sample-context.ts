import type { CelContext, HttpRequestAttributes, SourceAttributes } from '../../src/cel/context/context.ts'
import { Secret } from '../../src/cel/context/headers-view.ts'
import { Headers } from '../../src/model/exchange/headers.ts'

/** A context with a value for most names, to try expressions with. */
export const sampleContext = (overrides: Partial<CelContext> = {}): CelContext => ({
  request: sampleRequest(),
  response: {
    code: 503,
    headers: Headers.of({ 'retry-after': '5', 'set-cookie': ['a=1', 'b=2'] }),
    body: Buffer.from('{"error":{"type":"overloaded"}}'),
  },
  source: sampleSource,
  destination: { address: '192.0.2.1', port: 443, hostname: 'api.test' },
  proxy: {
    bind: 'bind/3000',
    gateway: { namespace: 'default', name: 'edge' },
    listener: { name: 'public' },
    route: { namespace: 'default', name: 'api' },
    upstreamMs: 1500,
  },
  backend: { name: 'default/api', type: 'static', protocol: 'http' },
  env: { gateway: 'edge' },
  jwt: {
    sub: 'alice',
    groups: ['dev', 'ops'],
    level: 3,
    ratio: 0.5,
    address: { city: 'Berlin' },
    rawToken: new Secret('abc.def.ghi'),
  },
  metadata: { tenant: 'blue' },
  ...overrides,
})

/** Its request. */
export const sampleRequest = (overrides: Partial<HttpRequestAttributes> = {}): HttpRequestAttributes => ({
  method: 'POST',
  uri: 'http://api.test:3000/v1/chat?tag=a&tag=b&q=x%20y',
  host: 'api.test:3000',
  scheme: 'http',
  path: '/v1/chat',
  pathAndQuery: '/v1/chat?tag=a&tag=b&q=x%20y',
  version: 'HTTP/1.1',
  headers: Headers.of({
    host: 'api.test:3000',
    'x-team': 'blue',
    'x-list': ['a, b', 'c'],
    authorization: 'Bearer secret',
    cookie: ['theme=dark; session=s1', 'lang=de'],
    'content-type': 'application/json',
  }),
  body: Buffer.from('{"model":"m-1","n":2,"big":1234567890123456789,"price":10.0,"tags":["x","y"]}'),
  startTime: new Date('2026-01-02T03:04:05.678Z'),
  ...overrides,
})

/** Its client. */
export const sampleSource: SourceAttributes = {
  address: '10.1.2.3',
  port: 54_321,
  rawAddress: '192.0.2.9',
  rawPort: 1234,
  identity: { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'cart' },
  subjectAltNames: ['DNS:cart.shop'],
}
