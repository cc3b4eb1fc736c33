import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'
import { listening } from '../support/upstream-servers.ts'

test('mirrored requests obey the policies of their backend', async (t) => {
  await using upstream = await startEcho('upstream')
  using authority = makeAuthority()
  const { cert, key } = authority.issue('shadow.svc')
  const copies: IncomingMessage[] = []
  await using shadow = await listening(
    createServer({ cert, key }, (req, res) => {
      copies.push(req)
      res.end()
    }),
  )
  const { port } = shadow
  const tls = `{ root: ${authority.certFile}, hostname: shadow.svc }`
  const route = (name: string, backend: string): string =>
    `  - { name: ${name}, matches: [{ path: { exact: /${name} } }], policies: { requestMirror: { backend: ${backend} } }, backends: [{ host: "${upstream.host}" }] }`
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
services: [{ name: shadow, namespace: shop, hostname: shadow.svc, ports: { "443": ${port} }, vips: [10.0.0.1] }]
workloads: [{ uid: w1, workloadIps: [127.0.0.1], services: { shop/shadow.svc: { "443": ${port} } } }]
backends:
  - name: named
    host: "127.0.0.1:${port}"
    policies: { backendTLS: ${tls}, requestHeaderModifier: { set: { x-to: named }, remove: [x-gone] } }
policies:
  - name: { name: tls-of-service }
    target: { backend: { service: { hostname: shadow.svc, namespace: shop } } }
    policy: { backendTLS: ${tls} }
  - name: { name: headers-of-service }
    target: { backend: { service: { hostname: shadow.svc, namespace: shop } } }
    policy: { requestHeaderModifier: { set: { x-to: service }, remove: [x-gone] } }
routes:
${route('service', '{ service: { name: shop/shadow.svc, port: 443 } }')}
${route('named', '{ backend: named }')}
`)

  for (const name of ['service', 'named'])
    await t.test(`a ${name}: over TLS, with its headers`, async () => {
      copies.length = 0
      const { status } = await sendRequest(daemon.url('default'), `/${name}`, { headers: { 'x-gone': '1' } })
      assert.equal(status, 200)
      while (copies.length === 0) await new Promise(setImmediate)
      const [copy] = copies
      assert.deepEqual(
        [copy?.url, copy?.headers['x-to'], copy?.headers['x-gone']],
        [`/${name}`, name, undefined],
      )
      // The original request is forwarded without them.
      const { headers } = upstream.asked.at(-1) ?? {}
      assert.deepEqual([headers?.['x-to'], headers?.['x-gone']], [undefined, '1'])
    })
})
