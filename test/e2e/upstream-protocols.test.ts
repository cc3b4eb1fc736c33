import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  connect,
  createSecureServer,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { type Authority, makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'

interface Seen {
  readonly version: string
  readonly authority: string
  readonly serverName: string | false | undefined
}

suite('the protocol of an upstream', () => {
  let daemon: Daemon
  let authority: Authority
  const servers: Http2Server[] = []
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse): void => {
    const { servername } = req.socket as { servername?: string | false }
    const host = req.httpVersion === '2.0' ? req.authority : (req.headers.host ?? '')
    if (req.url === '/grpc/call') {
      res.setHeader('content-type', 'application/grpc')
      res.setHeader('trailer', 'grpc-status')
      res.addTrailers({ 'grpc-status': '0' })
      res.end('reply')
    } else res.end(JSON.stringify({ version: req.httpVersion, authority: host, serverName: servername }))
  }
  const open = async (server: Http2Server): Promise<number> => {
    servers.push(server)
    server.on('sessionError', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  before(async () => {
    authority = makeAuthority()
    const { cert, key } = authority.issue('up.example')
    const tls = await open(createSecureServer({ cert, key, allowHTTP1: true }, answer))
    const h2c = await open(createServer(answer))
    const root = authority.certFile
    const route = (name: string, port: number, policies: string): string =>
      `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], backends: [{ host: "127.0.0.1:${port}", policies: ${policies} }] }`
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${route('verified', tls, `{ backendTLS: { root: ${root}, hostname: up.example } }`)}
${route('negotiated', tls, `{ backendTLS: { root: ${root}, hostname: up.example, alpn: [h2, http/1.1] } }`)}
${route('two', tls, `{ backendTLS: { root: ${root}, hostname: up.example }, http: { version: "2" } }`)}
${route('other-name', tls, `{ backendTLS: { root: ${root}, hostname: other.example } }`)}
${route('strangers', tls, '{ backendTLS: { hostname: up.example } }')}
${route('any-name', tls, `{ backendTLS: { root: ${root}, hostname: other.example, insecureHost: true } }`)}
${route('anything', tls, '{ backendTLS: { insecure: true } }')}
${route('plain', tls, '{}')}
${route('cleartext-two', h2c, '{ http: { version: 2 } }')}
${route('grpc', h2c, '{}')}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of servers) server.close()
    authority[Symbol.dispose]()
  })

  const spoken: Readonly<Record<string, Partial<Seen>>> = {
    verified: { version: '1.1', serverName: 'up.example' },
    negotiated: { version: '2.0', serverName: 'up.example' },
    two: { version: '2.0', serverName: 'up.example' },
    'any-name': { version: '1.1', serverName: 'other.example' },
    anything: { version: '1.1' },
    'cleartext-two': { version: '2.0' },
  }
  for (const [name, expected] of Object.entries(spoken))
    test(`${name}: ${JSON.stringify(expected)}`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`, {
        headers: { host: 'shop.example' },
      })
      assert.equal(status, 200, text)
      const seen = JSON.parse(text) as Seen
      const { version, serverName } = seen
      assert.deepEqual({ version, ...(expected.serverName === undefined ? {} : { serverName }) }, expected)
      assert.notEqual(seen.authority, '')
    })

  for (const name of ['other-name', 'strangers'])
    test(`${name}: a certificate that does not match is 503, and the reason is only logged`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`)
      assert.deepEqual([status, text.startsWith('upstream call failed: ')], [503, true])
      assert.doesNotMatch(text, /certificate|altname|self.signed|issuer/i)
    })

  test('plain HTTP to a TLS port is an upstream error', async () => {
    const { status } = await sendRequest(daemon.url('default'), '/plain')
    assert.ok(status === 502 || status === 503 || status === 403, String(status))
  })

  test('gRPC calls use HTTP/2, and their trailers are forwarded', async () => {
    const client = connect(daemon.url('default'))
    const stream = client.request({
      ':path': '/grpc/call',
      ':method': 'POST',
      ':authority': 'shop.example',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.end('message')
    const trailers = once(stream, 'trailers') as Promise<[Record<string, string>]>
    let body = ''
    for await (const chunk of stream) body += String(chunk)
    const [fields] = await trailers
    client.close()
    assert.deepEqual([body, fields['grpc-status']], ['reply', '0'])
  })
})
