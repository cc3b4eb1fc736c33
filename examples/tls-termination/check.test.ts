import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { createServer, get } from 'node:https'
import { test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { makeAuthority } from '../../test/support/certificates.ts'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { listening } from '../../test/support/upstream-servers.ts'

test('examples/tls-termination', async (t) => {
  using authority = makeAuthority()
  authority.issue('shop.example.com')
  authority.issue('wildcard', ['DNS:*.example.com'])
  await using shop = await startUpstream((req, res) => res.end(`shop over HTTP/${req.httpVersion}`))
  await using daemon = await startExample('tls-termination', {
    CERTS: authority.folder,
    HTTP_PORT: '0',
    HTTPS_PORT: '0',
    SHOP: shop.host,
  })
  const secure = new URL(daemon.url('secure'))
  const ca = authority.cert
  const visit = async (host: string): Promise<{ answer: IncomingMessage; text: string }> => {
    const options = { ca, servername: host, headers: { host }, agent: false }
    const [answer] = (await once(get(secure, options), 'response')) as [IncomingMessage]
    return { answer, text: (await answer.toArray()).join('') }
  }
  const handshake = async (options: ConnectionOptions): Promise<TLSSocket> => {
    const socket = connect({ host: secure.hostname, port: Number(secure.port), ca, ...options })
    await once(socket, 'secureConnect')
    return socket
  }

  await t.test('redirects plain HTTP to HTTPS, at its default port', async () => {
    const { status, headers } = await sendRequest(daemon.url('web'), '/cart?id=1', {
      headers: { host: 'shop.example.com:80' },
    })
    assert.deepEqual([status, headers.location], [301, 'https://shop.example.com/cart?id=1'])
  })

  await t.test('serves each host with its certificate', async () => {
    const { answer, text } = await visit('shop.example.com')
    assert.equal(text, 'shop over HTTP/1.1')
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
    assert.equal((await visit('blog.example.com')).text, 'nothing at blog.example.com yet\n')
    for (const [name, subject] of Object.entries({
      'shop.example.com': 'shop.example.com',
      'a.example.com': 'wildcard',
    })) {
      const socket = await handshake({ servername: name })
      assert.equal(socket.getPeerCertificate().subject.CN, subject)
      socket.destroy()
    }
  })

  await t.test('negotiates HTTP/2', async () => {
    const client = connectHttp2(secure, { ca, servername: 'shop.example.com' })
    const stream = client.request({ ':path': '/', ':authority': 'shop.example.com' }).setEncoding('utf8')
    assert.equal((await stream.toArray()).join(''), 'shop over HTTP/1.1')
    client.close()
  })

  await t.test('requires TLS 1.3 only where configured', async () => {
    await assert.rejects(handshake({ servername: 'shop.example.com', maxVersion: 'TLSv1.2' }))
    const socket = await handshake({ servername: 'blog.example.com', maxVersion: 'TLSv1.2' })
    assert.equal(socket.getProtocol(), 'TLSv1.2')
    socket.destroy()
  })

  await t.test('refuses the handshake for unknown hosts', async () => {
    await assert.rejects(handshake({ servername: 'example.org' }), {
      code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
    })
  })

  await t.test('does not serve one host on the connection of another', async () => {
    const client = connectHttp2(secure, { ca, servername: 'blog.example.com' })
    const stream = client.request({ ':path': '/', ':authority': 'shop.example.com' })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    assert.equal(headers[':status'], 421)
    client.destroy()
  })
})

test('examples/tls-termination/backends.yaml', async (t) => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('shop.example.com')
  const visitor = authority.issue('ann')
  const server = createServer({ cert, key }, (req, res) => {
    res.end(`hello ${String(req.headers['x-client'])}`)
  })
  await using shop = await listening(server)
  await using daemon = await startExample(
    'tls-termination',
    { CERTS: authority.folder, PASSTHROUGH_PORT: '0', SHOP: `127.0.0.1:${shop.port}` },
    'backends.yaml',
  )
  const ca = authority.cert
  const visit = async (port: string, options: ConnectionOptions): Promise<string> => {
    const url = `https://127.0.0.1:${port}/`
    const headers = { host: 'shop.example.com', 'x-client': 'eve' }
    const request = get(url, { ca, servername: 'shop.example.com', headers, agent: false, ...options })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return (await response.toArray()).join('')
  }
  const portOf = (gateway: string): string => new URL(daemon.url(gateway)).port

  await t.test('requires a client certificate, and uses TLS towards the backend', async () => {
    assert.equal(await visit(portOf('mutual'), { cert: visitor.cert, key: visitor.key }), 'hello ann')
    await assert.rejects(visit(portOf('mutual'), {}))
  })

  await t.test('passes TLS through by server name', async () => {
    assert.equal(await visit(portOf('passthrough'), {}), 'hello eve')
    await assert.rejects(visit(portOf('passthrough'), { servername: 'blog.example.com' }))
  })
})
