import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { suite, test } from 'node:test'
import { createGateway } from '../../../src/create-gateway.ts'
import { sendRequest } from '../../support/send-request.ts'
import { sendTlsRequest, handshake } from '../../support/send-tls-request.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { freePort } from '../../support/free-port.ts'
import { RawClient } from '../../support/raw-client.ts'
import { rawServer } from '../../support/upstream-servers.ts'

const says = (body: string): object => ({ policies: { directResponse: { status: 200, body } } })
const bind = (port: number, ...listeners: readonly object[]) => ({ port, address: '127.0.0.1', listeners })
const file = (...binds: readonly object[]) => JSON.stringify({ binds })
const http = (body: string, parts: object = {}) => ({ routes: [says(body)], ...parts })
const get = (host = 'a.test') => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
const at = async (port: number, host = 'a.test'): Promise<string> => {
  const { status, text } = await sendRequest(`http://127.0.0.1:${port}`, '/', { headers: { host } })
  return status === 200 ? text : String(status)
}

suite('a gateway', () => {
  test('may have no port, and get one later', async () => {
    const port = await freePort()
    await using gateway = await createGateway(file())
    assert.deepEqual(gateway.addresses, [])
    await gateway.apply(file(bind(port, http('here'))))
    assert.equal(await at(port), 'here')
    using idle = await RawClient.to(port)
    await gateway.apply(file())
    await idle.end()
    await assert.rejects(at(port), { code: 'ECONNREFUSED' })
    await gateway.apply(file(bind(port, http('again'))))
    assert.equal(await at(port), 'again')
  })

  test('replies 404 on a listener without routes, and closes connections without a listener', async () => {
    const [port, empty] = [await freePort(), await freePort()]
    await using _ = await createGateway(file(bind(port, { routes: [] }), bind(empty)))
    assert.equal(await at(port), '404')
    await assert.rejects(at(empty))
  })

  test('opens and closes ports, and the connections of the others go on', async () => {
    const [kept, changing] = [await freePort(), await freePort()]
    const first = bind(kept, http('kept'))
    await using gateway = await createGateway(file(first))
    using client = await RawClient.to(kept)
    const kept200 = async (count: number) => {
      client.send(get())
      await client.until(new RegExp(`(?:kept[^]*){${count}}$`))
      assert.doesNotMatch(client.received, /connection: close/i)
    }
    await kept200(1)
    await gateway.apply(file(first, bind(changing, http('new'))))
    assert.equal(await at(changing), 'new')
    await kept200(2)
    using closing = await RawClient.to(changing)
    closing.send(get())
    await closing.until('new')
    await gateway.apply(file(first))
    await closing.end()
    await assert.rejects(at(changing), { code: 'ECONNREFUSED' })
    await kept200(3)
  })
})

suite('a port', () => {
  test('changes from cleartext to TLS and back, and never serves a listener on the other kind', async () => {
    using authority = makeAuthority()
    const { cert: certPem, key: keyPem } = authority.issue('a.test')
    const port = await freePort()
    const clear = file(bind(port, http('clear')))
    const secure = file(bind(port, http('secure', { protocol: 'HTTPS', tls: { certPem, keyPem } })))
    await using gateway = await createGateway(clear)
    using client = await RawClient.to(port)
    client.send(get())
    await client.until('clear')

    await gateway.apply(secure)
    assert.equal((await sendTlsRequest(port, { serverName: 'a.test' })).text, 'secure')
    await assert.rejects(at(port))
    client.send(get())
    await client.until(/ 404 /)
    using encrypted = new RawClient(await handshake(port, { servername: 'a.test' }))
    encrypted.send(get())
    await encrypted.until('secure')

    await gateway.apply(clear)
    assert.equal(await at(port), 'clear')
    encrypted.send(get())
    await encrypted.until(/secure[^]* 404 /)
    await assert.rejects(handshake(port, { servername: 'a.test' }))
    client.send(get())
    await client.until(/clear[^]*404[^]*clear/)
  })

  test('changes from HTTP to TCP and back', async () => {
    const port = await freePort()
    await using upstream = await rawServer((socket) => socket.end('raw'))
    const tcpRoutes = [{ backends: [{ host: `127.0.0.1:${upstream.port}` }] }]
    await using gateway = await createGateway(file(bind(port, http('web'))))
    assert.equal(await at(port), 'web')
    await gateway.apply(file(bind(port, { protocol: 'TCP', tcpRoutes })))
    using client = await RawClient.to(port)
    assert.equal(await client.end(), 'raw')
    await gateway.apply(file(bind(port, http('web'))))
    assert.equal(await at(port), 'web')
  })

  test('asks for a new connection where a listener has begun to require a client certificate', async () => {
    using authority = makeAuthority()
    const { cert: certPem, key: keyPem } = authority.issue('a.test')
    const client = authority.issue('client')
    const port = await freePort()
    const configuration = (tls: object) =>
      file(bind(port, http('in', { protocol: 'HTTPS', tls: { certPem, keyPem, ...tls } })))
    const root = { rootPem: authority.cert }
    await using gateway = await createGateway(
      configuration({ ...root, clientCertificates: 'allowInsecureFallback' }),
    )
    const sessions = [{}, { cert: client.cert, key: client.key }].map((own) =>
      connectHttp2(`https://127.0.0.1:${port}`, { servername: 'a.test', rejectUnauthorized: false, ...own }),
    )
    const statuses = () =>
      Promise.all(
        sessions.map(async (session) => {
          const stream = session.request({ ':authority': 'a.test' })
          const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
          stream.resume()
          return headers[':status']
        }),
      )
    assert.deepEqual(await statuses(), [200, 200])
    await gateway.apply(configuration(root))
    assert.deepEqual(await statuses(), [421, 200])
    await gateway.apply(configuration({}))
    assert.deepEqual(await statuses(), [200, 200])
    for (const session of sessions) session.destroy()
  })
})
