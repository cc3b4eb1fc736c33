import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { openServer, silentServer } from '../support/delayed-server.ts'
import type { UpstreamServer } from '../support/upstream-servers.ts'

/** A route to a service with an endpoint at each port. Connections to it may take longer than the test. */
const configuration = (...ports: readonly number[]): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
services: [{ name: shop, namespace: default, hostname: shop.svc, ports: { 80: 80 }, vips: [] }]
workloads: [${ports.map((port) => `{ uid: at-${port}, workloadIps: [127.0.0.1], services: { default/shop.svc: { 80: ${port} } } }`).join()}]
policies:
  - name: { name: tls }
    target: { backend: { service: { namespace: default, hostname: shop.svc } } }
    policy: { backendTLS: { insecure: true } }
  - name: { name: patience }
    target: { backend: { service: { namespace: default, hostname: shop.svc } } }
    policy: { tcp: { connectTimeout: 1h } }
routes:
  - backends: [{ service: { name: default/shop.svc, port: 80 } }]
`

/** Resolves when the first connection to a server is open, however long a reload takes. */
const connected = async (server: UpstreamServer): Promise<void> => {
  while (server.opened() === 0) await setTimeout(5)
}

/** Begins a request with the first part of a body. */
const begin = (url: string) => {
  const upload = request(url, { method: 'POST' })
  upload.write('first ')
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>
  return { upload, answered }
}

test('a reload that removes the endpoint that a request is being connected to', async (t) => {
  await t.test('leaves the request, with all of its body, to the endpoint that comes', async () => {
    await using gone = await silentServer()
    await using open = await openServer('open')
    await using daemon = await startDaemon(configuration(gone.port))
    const { upload, answered } = begin(daemon.url('default'))
    await connected(gone)
    daemon.rewrite(configuration(open.port))
    await connected(open)
    upload.end('second')
    const [response] = await answered
    assert.equal(await text(response), 'open POST first second')
  })

  await t.test('gives it 503 if none comes', async () => {
    await using gone = await silentServer()
    await using daemon = await startDaemon(configuration(gone.port))
    const { upload, answered } = begin(daemon.url('default'))
    await connected(gone)
    daemon.rewrite(configuration())
    const [response] = await answered
    assert.deepEqual([response.statusCode, await text(response)], [503, 'no healthy backends'])
    upload.destroy()
  })
})
