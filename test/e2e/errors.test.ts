import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { ownNames } from '../support/resolver-names.ts'
import { rawResponse, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

interface Places {
  readonly dead: number
  readonly hangs: number
  readonly resets: number
  readonly nonsense: number
  readonly switches: number
}

const at = (port: number): string => `{ host: "127.0.0.1:${port}" }`
const route = (name: string, backends: string, policies = '{}'): string =>
  `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], backends: [${backends}], policies: ${policies} }`

const configuration = (places: Places): string => `${anyPorts}
frontendPolicies: { http: { maxBufferSize: 1000 } }
gateways:
  default: { port: 0, address: 127.0.0.1, listeners: [{ hostname: "*.example" }] }
services:
  - { name: empty, hostname: empty.svc, ports: { "80": 80 } }
routes:
${route('none', '')}
${route('zero', `{ weight: 0, host: "127.0.0.1:1" }`)}
${route('invalid', '{ invalid: null }')}
${route('empty', '{ service: { name: default/empty.svc, port: 80 } }')}
${route('dead', at(places.dead))}
${route('unknown', '{ host: "no-such-host.invalid:80" }')}
${route('slow', at(places.hangs), '{ timeout: { backendRequestTimeout: 30ms } }')}
${route('late', at(places.hangs), '{ timeout: { requestTimeout: 30ms } }')}
${route('slow-backend', `{ host: "127.0.0.1:${places.hangs}", policies: { http: { requestTimeout: 30ms } } }`)}
${route('resets', at(places.resets))}
${route('nonsense', at(places.nonsense))}
${route('switches', at(places.switches))}
${route('csrf', at(places.dead), '{ csrf: {} }')}
${route('large', at(places.dead), '{ buffer: { request: { maxBytes: 3 } } }')}
${route('fails', '', '{ directResponse: { status: 200, bodyExpression: "1/0" } }')}
`

interface Case {
  readonly asked?: RequestParts
  readonly path: string
  readonly status: number
  readonly text: RegExp | string
  readonly grpc: number
}

const POST = { method: 'POST', body: 'four' }

const cases: Readonly<Record<string, Case>> = {
  'no listener': {
    path: '/',
    asked: { headers: { host: 'elsewhere.test' } },
    status: 404,
    text: 'listener not found',
    grpc: 12,
  },
  'no route': { path: '/nowhere', status: 404, text: 'route not found', grpc: 12 },
  'no backends': { path: '/none', status: 500, text: 'no valid backends', grpc: 14 },
  'no weight': { path: '/zero', status: 500, text: 'no valid backends', grpc: 14 },
  'a backend known to be broken': { path: '/invalid', status: 500, text: 'backend does not exist', grpc: 2 },
  'no endpoint': { path: '/empty', status: 503, text: 'no healthy backends', grpc: 14 },
  'no connection': { path: '/dead', status: 503, text: /^upstream call failed: /, grpc: 14 },
  'no address': {
    path: '/unknown',
    status: 503,
    text: 'backends required DNS resolution which failed',
    grpc: 14,
  },
  'no answer in time': { path: '/slow', status: 504, text: 'upstream call timeout', grpc: 14 },
  'no answer in the time of the backend': {
    path: '/slow-backend',
    status: 504,
    text: 'upstream call timeout',
    grpc: 14,
  },
  'no end in time': { path: '/late', status: 504, text: 'request timeout', grpc: 14 },
  'a reset': { path: '/resets', status: 503, text: /^upstream call failed: /, grpc: 14 },
  'an answer that is none': { path: '/nonsense', status: 502, text: /^upstream call failed: /, grpc: 14 },
  'a request forged by a page': {
    path: '/csrf',
    asked: { ...POST, headers: { origin: 'https://evil.example' } },
    status: 403,
    text: 'CSRF validation failed',
    grpc: 7,
  },
  'a body that is too large': {
    path: '/large',
    asked: POST,
    status: 413,
    text: /3 bytes|too large/,
    grpc: 2,
  },
  'an expression that fails': { path: '/fails', status: 500, text: /^failed to apply filters: /, grpc: 2 },
}

suite('local replies', () => {
  let daemon: Daemon
  const names = ownNames({})
  const servers: UpstreamServer[] = []
  const open = async (server: Promise<UpstreamServer>): Promise<number> => {
    const opened = await server
    servers.push(opened)
    return opened.port
  }
  before(async () => {
    daemon = await startDaemon(
      configuration({
        dead: await freePort(),
        hangs: await open(rawServer(() => undefined)),
        resets: await open(rawServer((socket) => socket.once('data', () => socket.resetAndDestroy()))),
        nonsense: await open(rawResponse('BLAH\r\n\r\n')),
        switches: await open(
          rawResponse('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n'),
        ),
      }),
      names.options,
    )
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    names[Symbol.dispose]()
    for (const server of servers) await server[Symbol.asyncDispose]()
  })

  for (const [name, { path, asked = {}, status, text, grpc }] of Object.entries(cases)) {
    const headers = { host: 'shop.example', ...asked.headers }
    test(`${name} is ${status} as text`, async () => {
      const answer = await sendRequest(daemon.url('default'), path, { ...asked, headers })
      assert.equal(answer.status, status)
      if (typeof text === 'string') assert.equal(answer.text, text)
      else assert.match(answer.text, text)
      assert.doesNotMatch(answer.text, /ECONN|ENOTFOUND|EAI_|node:|undici|127\.0\.0\.1/i)
      assert.match(answer.headers['content-type'] ?? '', /^text\/plain/)
      assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    })

    test(`${name} is grpc-status ${grpc}`, async () => {
      const sent = {
        method: 'POST',
        ...asked,
        headers: { ...headers, 'content-type': 'application/grpc+proto' },
      }
      const answer = await sendRequest(daemon.url('default'), path, sent)
      assert.deepEqual(
        [answer.status, answer.text, answer.headers['grpc-status'], answer.headers['content-type']],
        [200, '', String(grpc), 'application/grpc'],
      )
      const message = decodeURIComponent(String(answer.headers['grpc-message']))
      if (typeof text === 'string') assert.equal(message, text)
      else assert.match(message, text)
    })
  }

  test('the gRPC format applies over HTTP/2 as well', async () => {
    const client = connect(daemon.url('default'), {})
    const stream = client.request({
      ':path': '/nowhere',
      ':authority': 'shop.example',
      ':method': 'POST',
      'content-type': 'application/grpc',
    })
    stream.end()
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    assert.deepEqual(
      [headers[':status'], headers['grpc-status'], headers['grpc-message']],
      [200, '12', 'route not found'],
    )
    stream.resume()
    await once(stream, 'close')
    client.close()
  })

  test('CONNECT is 405 by default', async () => {
    const socket = await rawRequest(
      daemon,
      'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n',
      /\r\n\r\nmethod not allowed$/,
    )
    assert.match(socket, /^HTTP\/1\.1 405 /)
  })

  test('an upstream that switches to another protocol is 502', async () => {
    const asked =
      'GET /switches HTTP/1.1\r\nHost: shop.example\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
    const answer = await rawRequest(daemon, asked, /\r\n\r\nrequest upgrade failed, backend tried /)
    assert.match(answer, /^HTTP\/1\.1 502 /)
  })

  test('the cause is logged', async () => {
    await daemon.printed(/upstream_connect/)
    await daemon.printed(/ endpoint=no-such-host\.invalid .*code=upstream_dns/)
  })
})

/** What is received up to a pattern. */
const rawRequest = async (daemon: Daemon, bytes: string, pattern: RegExp): Promise<string> => {
  using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
  client.send(bytes)
  return await client.until(pattern)
}
