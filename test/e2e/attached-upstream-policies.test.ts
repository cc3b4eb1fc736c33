import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startUpstream } from '../support/upstream.ts'

/** What the daemon serves: a service of two ports and a backend, all the same upstream, with policies by target. */
const configuration = (port: number): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends: [{ name: named, host: "127.0.0.1:${port}" }]
services: [{ name: web, namespace: shop, hostname: web.shop, ports: { 80: ${port}, 81: ${port} } }]
workloads: [{ uid: one, workloadIps: [127.0.0.1], services: { shop/web.shop: { 80: ${port}, 81: ${port} } } }]
routes:
  - { name: service, matches: [{ path: { pathPrefix: /service } }], backends: [{ service: { name: shop/web.shop, port: 80 } }] }
  - { name: port, matches: [{ path: { pathPrefix: /port } }], backends: [{ service: { name: shop/web.shop, port: 81 } }] }
  - { name: backend, matches: [{ path: { pathPrefix: /backend } }], backends: [{ backend: named }] }
policies:
  - { name: { name: a }, target: { backend: { service: { hostname: web.shop, namespace: shop, port: 80 } } }, policy: { http: { requestTimeout: 50ms } } }
  - { name: { name: b }, target: { backend: { backend: { name: named } } }, policy: { http: { requestTimeout: 50ms } } }
`

test('policies of connections are attached to backends and to ports of services', async () => {
  // The paths with a timeout are never answered.
  const server = createServer((request, response) => {
    if (request.url === '/port') response.end('in time')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using daemon = await startDaemon(configuration((server.address() as AddressInfo).port))
  const base = daemon.url('default')
  assert.equal((await sendRequest(base, '/service')).status, 504)
  assert.equal((await sendRequest(base, '/backend')).status, 504)
  assert.equal((await sendRequest(base, '/port')).text, 'in time')
  server.closeAllConnections()
  server.close()
})

test('they are defaults at gateways and routes, which backends replace', async () => {
  await using upstream = await startUpstream((request, response) => {
    if (!request.url?.startsWith('/slow')) response.end('in time')
  })
  const { host } = upstream
  const attached = (name: string, target: string, limit: string) =>
    `  - { name: { name: ${name} }, target: ${target}, policy: { http: { requestTimeout: ${limit} } } }`
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - { name: outer, matches: [{ path: { exact: /slow } }], backends: [{ host: "${host}" }] }
  - { name: own, matches: [{ path: { exact: /slow/own } }], policies: { http: { requestTimeout: 60ms } }, backends: [{ host: "${host}" }] }
  - { name: inner, matches: [{ path: { exact: /inner } }], backends: [{ host: "${host}", policies: { http: { requestTimeout: 60s } } }] }
policies:
${attached('a', '{ gateway: { gatewayName: default } }', '40ms')}
${attached('b', '{ route: { name: inner } }', '1ms')}
  - { name: { name: c }, target: { route: { name: outer } }, policy: { tcp: { connectTimeout: 3s } } }
`)
  const base = daemon.url('default')
  assert.equal((await sendRequest(base, '/slow')).status, 504)
  assert.equal((await sendRequest(base, '/slow/own')).status, 504)
  const replies = await Promise.all(Array.from({ length: 20 }, () => sendRequest(base, '/inner')))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
})
