import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { RawClient } from '../support/raw-client.ts'
import { rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

const configuration = (echo: string, odd: number): string => {
  const route = (name: string, policies: string, backend = `host: "${echo}"`): string =>
    `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], policies: ${policies}, backends: [{ ${backend} }] }`
  return `${anyPorts}
frontendPolicies:
  http: { maxBufferSize: 65536 }
  accessLog: { add: { body: "request.body", answer: "json(response.body).a.b", bad: "request.headers['none'].size() / 0" } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${route('json', `{ transformations: { request: { set: { x-a: "json(request.body).a.b.c", ":path": "request.headers['x-path']", ":authority": "request.headers['x-authority']", ":method": "request.headers['x-method']" } }, response: { set: { ":status": "json(response.body).status", x-b: "response.headers['x-evil']" } } } }`)}
${route('body', `{ transformations: { request: { body: "json(request.body).a" }, response: { body: "json(response.body).nothing.at.all" } } }`)}
${route('replace', `{ transformations: { request: { replace: "json(request.body)" } } }`)}
${route('regex', `{ directResponse: { status: 200, bodyExpression: "string(request.headers['x-text'].matches('(a+)+$'))", headers: { x-echo: "request.headers['x-text']" } } }`)}
${route('delay', `{ delay: { duration: "json(request.body).ms" }, directResponse: { status: 200, body: waited } }`)}
${route('affinity', '{}', `host: "${echo}", policies: { health: { unhealthyExpression: "json(response.body).x == 1 / 0" } }`)}
${route('retry', `{ retry: { attempts: 3, codes: [503], condition: "json(response.body).again" } }`)}
${route('aimed', '{}', `dynamic: { target: "json(request.body)", allow: { hosts: ["*"] } }`)}
${route('odd', '{ retry: { attempts: 1, codes: [503] }, buffer: { response: {} } }', `host: "127.0.0.1:${odd}"`)}
${route('plain', '{}', `host: "127.0.0.1:${odd}"`)}
  - { name: rest, backends: [{ host: "${echo}" }] }
`
}

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

/** Bodies that no expression or parser accepts. */
const bodies: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  null: 'null',
  'a number': '1e400',
  'a string': '"\\ud800"',
  'broken JSON': '{"a":',
  'deep lists': deep('[', ']', 30_000),
  'deep maps': '{"a":'.repeat(10_000),
  'a prototype': '{"__proto__":{"a":{"b":{"c":"x"}}},"constructor":{"prototype":{"polluted":true}}}',
  'names of methods': '{"toString":1,"valueOf":null,"then":{},"hasOwnProperty":2}',
  'line breaks for headers': '{"a":{"b":{"c":"x\\r\\nSet-Cookie: stolen=1"}},"status":200}',
  NUL: '{"a":{"b":{"c":"\\u0000"}}}',
  'a status that is none': '{"status":99999,"ms":1e18}',
  'a negative delay': '{"ms":-1}',
  'a delay that is no number': '{"ms":{"a":[]}}',
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0xc0, 0xaf]),
  'many keys': JSON.stringify(Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`k${i}`, i]))),
  'headers that cannot be':
    '{"bad name":"x","content-length":"5","transfer-encoding":"chunked",":path":"no slash","host":"a b","x\\n":"y","":"z"}',
  'a target that is none': '"http://[::1"',
  'a target with a user': '"user@127.0.0.1:1"',
  'more than may be held': 'x'.repeat(70_000),
}

const paths = ['/json', '/body', '/replace', '/regex', '/affinity', '/retry', '/aimed', '/odd', '/plain']

const headerSets: readonly Readonly<Record<string, string>>[] = [
  {
    'x-path': '//\\..%00',
    'x-authority': 'a b',
    'x-method': 'BAD METHOD',
    'x-text': `${'a'.repeat(5_000)}!`,
  },
  { 'x-path': '/a b', 'x-authority': '[::1', 'x-method': '', 'x-text': '\xff\xfe' },
  { 'x-path': 'http://x/', 'x-authority': 'u@h:1', 'x-method': 'CONNECT', 'content-encoding': 'gzip, br' },
  {
    'content-type': 'application/grpc',
    'accept-encoding': 'nonsense;q=9',
    cookie: '=;;=;a',
    'grpc-timeout': 'x',
  },
  {
    origin: 'null',
    forwarded: 'for="',
    'x-forwarded-for': ',,,',
    range: 'bytes=9-1',
    expect: '100-continue',
  },
]

/** The bytes that raw clients send before they leave. */
const conversations: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  garbage: Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 7919) % 256)),
  'half a head': 'GET / HT',
  'half a body': 'POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf',
  'half a chunk': 'POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf',
  'many requests at once': 'GET /plain HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200),
  'a preface of HTTP/2 and no more': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a preface of HTTP/2 and garbage': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\xff'.repeat(300)}`,
  'a handshake of TLS': Buffer.from('16030100050100000100', 'hex'),
  'a PROXY header': 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'an upgrade to a websocket that is none':
    'GET /plain HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
}

suite('no request ends the process', () => {
  let daemon: Daemon
  let echo: EchoUpstream
  let odd: UpstreamServer
  before(async () => {
    echo = await startEcho('echo')
    echo.headers = { 'x-evil': 'a\xffb' }
    let turn = 0
    const oddities = [
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
      '\0\0\0',
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\xff',
    ]
    odd = await rawServer((socket) => {
      socket.on('data', () => {
        const oddity = oddities[turn++ % oddities.length] ?? ''
        socket.write(oddity, 'latin1', () => (turn % 2 ? socket.destroy() : socket.resetAndDestroy()))
      })
    })
    daemon = await startDaemon(configuration(echo.host, odd.port))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await echo[Symbol.asyncDispose]()
    await odd[Symbol.asyncDispose]()
  })

  const port = () => Number(new URL(daemon.url('default')).port)
  const lives = async () => {
    assert.equal(daemon.child.exitCode, null, daemon.output().slice(-2_000))
    assert.equal(echoed(await sendRequest(daemon.url('default'), '/alive')).target, '/alive')
  }

  for (const [name, body] of Object.entries(bodies))
    test(`with a body of ${name}`, async () => {
      const all = [...paths, ...(name.includes('delay') || name.includes('status') ? [] : ['/delay'])]
      const answers = await Promise.allSettled(
        all.flatMap((path) =>
          headerSets.map((headers) =>
            sendRequest(daemon.url('default'), path, {
              method: 'POST',
              body,
              headers,
              signal: AbortSignal.timeout(300_000),
            }),
          ),
        ),
      )
      for (const answer of answers)
        if (answer.status === 'rejected')
          // A closed connection is acceptable, a timeout is not.
          assert.notEqual((answer.reason as { code?: string }).code, 'ABORT_ERR')
        else {
          assert.ok(answer.value.status >= 200 && answer.value.status <= 599)
          assert.equal(answer.value.headers['set-cookie'], undefined)
          assert.doesNotMatch(answer.value.text, /^internal error/)
        }
      await lives()
    })

  for (const [name, bytes] of Object.entries(conversations))
    test(`from a client that sends ${name}`, async () => {
      for (const leave of ['reset', 'end'] as const) {
        using client = await RawClient.to(port())
        client.send(bytes)
        await setTimeout(5)
        if (leave === 'reset') client.socket.resetAndDestroy()
        else client.socket.end()
      }
      await lives()
    })

  test('over HTTP/2, aborted in the middle', async () => {
    const client = connectHttp2(daemon.url('default'))
    client.on('error', () => undefined)
    for (let i = 0; i < 50; i++) {
      const stream = client.request({
        ':path': paths[i % paths.length] ?? '/',
        ':method': 'POST',
        ':authority': 'a',
      })
      stream.on('error', () => undefined)
      stream.write('{')
      if (i % 3 === 0) stream.close(8)
    }
    await setTimeout(20)
    client.destroy()
    await lives()
  })

  test('or is logged as a bug', () => {
    assert.doesNotMatch(
      daemon.output(),
      /a stage failed|a subscriber failed|uncaught|unhandled|TypeError|RangeError/i,
    )
  })
})
