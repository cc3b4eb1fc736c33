import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { sendRequest } from '../support/send-request.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveGateway } from './support/served-gateway.ts'

/* A Service has a BackendTLSPolicy and a ProxyPolicy with TLS: one of them expects a name that its server is not. */

const common = (authority: string): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: any, port: 8080, protocol: HTTP }]
---
kind: ConfigMap
metadata: { namespace: shop, name: known }
data: { ca.crt: ${JSON.stringify(authority)} }
`

const service = (name: string, port: number): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: https, port: 443, targetPort: 8443 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: https, port: ${port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
---
kind: HTTPRoute
metadata: { namespace: shop, name: ${name} }
spec:
  parentRefs: [{ name: web }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /${name} } }]
      backendRefs: [{ name: ${name}, port: 443 }]
`

/** Policies of either kind, created on these days. */
interface Expectations {
  readonly backendTls: string
  readonly proxyPolicy: string
  readonly days: readonly [backendTls: number, proxyPolicy: number]
  /** Of the BackendTLSPolicy. */
  readonly section?: string
}

const policies = (name: string, { backendTls, proxyPolicy, days, section }: Expectations): string => `
---
kind: BackendTLSPolicy
metadata: { namespace: shop, name: ${name}, creationTimestamp: '2026-01-0${days[0]}T00:00:00Z' }
spec:
  targetRefs: [{ group: '', kind: Service, name: ${name}${section === undefined ? '' : `, sectionName: ${section}`} }]
  validation: { caCertificateRefs: [{ group: '', kind: ConfigMap, name: known }], hostname: ${backendTls} }
---
kind: ProxyPolicy
metadata: { namespace: shop, name: ${name}, creationTimestamp: '2026-01-0${days[1]}T00:00:00Z' }
spec:
  targetRefs: [{ group: '', kind: Service, name: ${name} }]
  backend: { tls: { sni: ${proxyPolicy}, caCertificateRefs: [{ name: known }] } }
`

const RIGHT = 'server.example'
const WRONG = 'other.example'

const cases: Readonly<Record<string, Expectations & { readonly status: number }>> = {
  older: { backendTls: WRONG, proxyPolicy: RIGHT, days: [2, 1], status: 200 },
  younger: { backendTls: WRONG, proxyPolicy: RIGHT, days: [1, 2], status: 200 },
  strict: { backendTls: RIGHT, proxyPolicy: WRONG, days: [1, 2], status: 503 },
  port: { backendTls: RIGHT, proxyPolicy: WRONG, days: [1, 2], section: 'https', status: 200 },
}

test('the TLS of a ProxyPolicy precedes that of a BackendTLSPolicy, unless this one is for the port', async () => {
  await using stack = new AsyncDisposableStack()
  const authority = stack.use(makeAuthority())
  const { cert, key } = authority.issue(RIGHT)
  const server = stack.use(createServer({ cert, key }, (_, response) => response.end('hello')))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const objects = Object.entries(cases).map(
    ([name, expectations]) => service(name, port) + policies(name, expectations),
  )
  const text = common(authority.cert) + objects.join('')
  const graph = goldenGraph(readGoldenObjects(text, (content) => content))
  const gateway = stack.use(await serveGateway(graph, 'shop/web'))
  for (const [name, { status }] of Object.entries(cases)) {
    const response = await sendRequest(gateway.url('web'), `/${name}`)
    assert.deepEqual([name, response.status], [name, status], response.text)
  }
})
