import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Daemon } from '../support/daemon.ts'
import { type GrpcHandler, type GrpcServer, grpcServer } from '../support/grpc-server.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveGateway } from './support/served-gateway.ts'

/*
 * GRPCRoutes as they are written in a cluster, translated, served by a gateway in its own process, and called by the
 * client that is used most.
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
  listeners: [{ name: grpc, port: 8080, protocol: HTTP }]
`

const service = (name: string, { port }: GrpcServer): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80, targetPort: 8080 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [{ addresses: [10.244.0.5], conditions: { ready: true } }]
`

const route = (name: string, rules: string): string => `
---
kind: GRPCRoute
metadata: { namespace: shop, name: ${name} }
spec:
  parentRefs: [{ name: web }]
  hostnames: [${name}.test]
  rules: ${rules}
`

const backend = (name: string) => `backendRefs: [{ name: ${name}, port: 80 }]`

/** Matches of each form, the least exact one first: the order of a file must not decide. */
const precedence = `
    - ${backend('any')}
    - { matches: [{ headers: [{ name: a, value: x }, { name: b, value: x }, { name: c, value: x }] }], ${backend('headers')} }
    - { matches: [{ method: { method: MethodWithALongName } }], ${backend('method')} }
    - { matches: [{ method: { method: MethodWithALongName }, headers: [{ name: a, value: x }] }], ${backend('method-header')} }
    - { matches: [{ method: { service: p.S } }], ${backend('service')} }
    - { matches: [{ method: { service: p.S, method: Get } }], ${backend('both')} }`

const patterns = `
    - { matches: [{ method: { type: RegularExpression, service: "p[.]v[12]|old", method: ^Get.*$ } }], ${backend('both')} }
    - { matches: [{ method: { type: RegularExpression, service: "p[.].*" } }], ${backend('service')} }
    - { matches: [{ method: { type: RegularExpression, method: List|Watch } }], ${backend('method')} }`

const routes = [
  route('precedence', precedence),
  route('patterns', patterns),
  route(
    'exact',
    `[{ matches: [{ method: { service: p.S, method: Get } }], ${backend('both')} }, { matches: [{ method: { method: List } }], ${backend('method')} }]`,
  ),
  route('missing', `[{ ${backend('nothing')} }]`),
  route('empty', `[{ matches: [{ method: { service: p.S } }] }]`),
  route('broken', `[{ filters: [{ type: ExtensionRef }], ${backend('any')} }]`),
  route(
    'filters',
    `[{ filters: [{ type: RequestHeaderModifier, requestHeaderModifier: { set: [{ name: x-to, value: backend }] } }], ${backend('any')} }]`,
  ),
].join('')

const asIs = (bytes: Buffer): Buffer => bytes

const METHODS = ['p.S/Get', 'p.S/Other', 'p.S/MethodWithALongName', 'q.T/MethodWithALongName', 'q.T/Get']
const MORE = ['p.v1/GetAll', 'old/Get', 'p.v3/Get', 'q.T/List', 'q.T/Watch', 'p.S/List']

/** A server whose methods respond with its name and a header of the call. */
const startServer = (name: string): Promise<GrpcServer> =>
  grpcServer(
    [...METHODS, ...MORE].map((method): GrpcHandler => ({
      path: `/${method}`,
      definition: [
        `/${method}`,
        (call: { readonly metadata: Metadata }, done: (error: null, response: Buffer) => void) => {
          done(null, Buffer.from([name, ...call.metadata.get('x-to')].join(' ')))
        },
        asIs,
        asIs,
        'unary',
      ] as GrpcHandler['definition'],
    })),
  )

const startRoutes = async (stack: AsyncDisposableStack): Promise<Daemon> => {
  const services: string[] = []
  for (const name of ['any', 'headers', 'method', 'method-header', 'service', 'both'])
    services.push(service(name, stack.use(await startServer(name))))
  const text = [common, ...services, routes].join('')
  const graph = goldenGraph(readGoldenObjects(text, (one) => one))
  return stack.use(await serveGateway(graph, 'shop/web'))
}

test('translated gRPC routes', async (t) => {
  await using stack = new AsyncDisposableStack()
  const daemon = await startRoutes(stack)

  /** What a call leads to: what the server responds, or the status. */
  const call = async (url: string, fields: Record<string, string> = {}): Promise<string> => {
    const { host, pathname } = new URL(url)
    const client = new Client(new URL(daemon.url('web')).host, credentials.createInsecure(), {
      'grpc.default_authority': host,
    })
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
    try {
      return await new Promise<string>((resolve) => {
        client.makeUnaryRequest(
          pathname,
          asIs,
          asIs,
          Buffer.from('x'),
          metadata,
          (error: ServiceError | null, response?: Buffer) => {
            resolve(error ? status[error.code] : String(response))
          },
        )
      })
    } finally {
      client.close()
    }
  }

  await t.test('the service precedes the method, and the method the headers', async () => {
    const headers = { a: 'x', b: 'x', c: 'x' }
    assert.equal(await call('http://precedence.test/p.S/Get', headers), 'both')
    assert.equal(await call('http://precedence.test/p.S/Other', headers), 'service')
    assert.equal(await call('http://precedence.test/p.S/MethodWithALongName', headers), 'service')
    assert.equal(await call('http://precedence.test/q.T/MethodWithALongName', headers), 'method-header')
    assert.equal(await call('http://precedence.test/q.T/MethodWithALongName'), 'method')
    assert.equal(await call('http://precedence.test/q.T/Get', headers), 'headers')
    assert.equal(await call('http://precedence.test/q.T/Get'), 'any')
  })

  await t.test('regular expressions match whole names', async () => {
    assert.equal(await call('http://patterns.test/p.v1/GetAll'), 'both')
    assert.equal(await call('http://patterns.test/old/Get'), 'both')
    assert.equal(await call('http://patterns.test/p.v3/Get'), 'service')
    assert.equal(await call('http://patterns.test/q.T/List'), 'method')
    assert.equal(await call('http://patterns.test/q.T/Watch'), 'method')
    assert.equal(await call('http://patterns.test/q.T/WatchAll'), 'UNIMPLEMENTED')
    assert.equal(await call('http://patterns.test/older/Get'), 'UNIMPLEMENTED')
  })

  await t.test('a call that no rule matches is not implemented', async () => {
    assert.equal(await call('http://exact.test/p.S/Get'), 'both')
    assert.equal(await call('http://exact.test/p.S/List'), 'method')
    assert.equal(await call('http://exact.test/p.S/get'), 'UNIMPLEMENTED')
    assert.equal(await call('http://exact.test/p.S/GetAll'), 'UNIMPLEMENTED')
    assert.equal(await call('http://exact.test/pxS/Get'), 'UNIMPLEMENTED')
    assert.equal(await call('http://other.test/p.S/Get'), 'UNIMPLEMENTED')
  })

  await t.test('a call without a backend is unavailable', async () => {
    assert.equal(await call('http://missing.test/p.S/Get'), 'UNAVAILABLE')
    assert.equal(await call('http://empty.test/p.S/Get'), 'UNAVAILABLE')
    assert.equal(await call('http://broken.test/p.S/Get'), 'UNAVAILABLE')
  })

  await t.test('filters change calls', async () => {
    assert.equal(await call('http://filters.test/p.S/Get', { 'x-to': 'client' }), 'any backend')
  })
})
