import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { createGateway } from '../../../src/create-gateway.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { listening } from '../../support/upstream-servers.ts'

suite('a listener that passes TLS through', () => {
  test('leaves out the TLS policy of a backend, also if it has ended TLS until then', async () => {
    using authority = makeAuthority()
    const server = createServer(authority.issue('backend', ['DNS:a.test', 'DNS:backend.test']), (socket) => {
      socket.on('error', () => undefined)
      socket.end(String(socket.servername))
    })
    await using backend = await listening(server)
    const port = await freePort()
    const { cert: certPem, key: keyPem } = authority.issue('a.test')
    const file = (tls?: object): string =>
      JSON.stringify({
        binds: [
          {
            port,
            address: '127.0.0.1',
            listeners: [
              { protocol: 'TLS', ...(tls && { tls }), tcpRoutes: [{ backends: [{ backend: 'b' }] }] },
            ],
          },
        ],
        backends: [
          {
            name: 'b',
            host: `127.0.0.1:${backend.port}`,
            policies: { backendTLS: { hostname: 'backend.test', rootPem: authority.cert } },
          },
        ],
      })
    const nameAtBackend = (): Promise<string> =>
      text(connect({ port, host: '127.0.0.1', servername: 'a.test', ca: authority.cert }) as Socket)

    await using gateway = await createGateway(file({ certPem, keyPem }))
    assert.equal(await nameAtBackend(), 'backend.test')
    await gateway.apply(file())
    assert.equal(await nameAtBackend(), 'a.test')
    await gateway.apply(file({ certPem, keyPem }))
    assert.equal(await nameAtBackend(), 'backend.test')
  })
})
