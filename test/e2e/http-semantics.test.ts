import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** Raw responses of upstreams by path. The connection is closed after those that need it. */
const answers: Readonly<Record<string, string>> = {
  '/old': 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold',
  '/hop-by-hop':
    'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Gone\r\nX-Gone: 1\r\nKeep-Alive: timeout=9\r\nProxy-Connection: keep-alive\r\nTrailer: X-T\r\nUpgrade: h2c\r\nX-Kept: 1\r\nContent-Length: 2\r\n\r\nok',
  '/both-lengths':
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  '/two-lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!',
  '/gzip-coding': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  '/no-chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n',
  '/bad-status': 'HTTP/1.1 9999 What\r\n\r\n',
  '/bad-header': 'HTTP/1.1 200 OK\r\nX A: b\r\nContent-Length: 0\r\n\r\n',
  '/hints':
    'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  '/cookies':
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n',
}

const configuration = (echo: string, raw: number, other: number): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  other: { port: ${other}, address: "::1" }
routes:
  - { name: echo, gateways: [default, other], backends: [{ host: "${echo}" }] }
  - { name: raw, matches: [{ path: { pathPrefix: /raw } }], policies: { urlRewrite: { path: { prefix: / } } }, backends: [{ host: "127.0.0.1:${raw}" }] }
`

suite('on the wire', () => {
  let daemon: Daemon
  let echo: EchoUpstream
  let raw: UpstreamServer
  before(async () => {
    echo = await startEcho('echo')
    raw = await rawServer((socket) => {
      let head = ''
      socket.on('data', (chunk) => {
        head += String(chunk)
        if (!head.includes('\r\n\r\n')) return
        const path = head.split(' ')[1] ?? ''
        head = ''
        if (path === '/late')
          return void setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate'), 30)
        socket.end(answers[path] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'latin1')
      })
    })
    daemon = await startDaemon(configuration(echo.host, raw.port, await freePort()))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await echo[Symbol.asyncDispose]()
    await raw[Symbol.asyncDispose]()
  })

  const port = () => Number(new URL(daemon.url('default')).port)
  const say = async (bytes: string, until = /\r\n\r\n/): Promise<string> => {
    using client = await RawClient.to(port())
    client.send(bytes)
    return await client.until(until)
  }

  test('a gateway listens on its configured address only', async () => {
    const other = Number(new URL(daemon.url('other')).port)
    const open = async (host: string, at: number): Promise<boolean> => {
      const socket = connect(at, host)
      const opened = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      return opened
    }
    assert.deepEqual(
      [
        await open('::1', other),
        await open('127.0.0.1', other),
        await open('127.0.0.1', port()),
        await open('::1', port()),
      ],
      [true, false, true, false],
    )
  })

  test('a client gets its own HTTP version, whatever the upstream uses', async () => {
    const answer = await sendRequest(daemon.url('default'), '/raw/old')
    assert.deepEqual([answer.version, answer.text], ['1.1', 'old'])
    assert.match(await say('GET /raw/old HTTP/1.1\r\nHost: a.example\r\n\r\n'), /^HTTP\/1\.1 200 OK\r\n/)
    const oldClient = await say('GET /raw/old HTTP/1.0\r\nHost: a.example\r\n\r\n', /old$/)
    assert.match(oldClient, /^HTTP\/1\.[01] 200/)
    assert.doesNotMatch(oldClient, /transfer-encoding/i)
  })

  test('an HTTP/2 client does not switch the upstream to HTTP/2', async () => {
    const client = connectHttp2(daemon.url('default'))
    const stream = client.request({ ':path': '/x', ':authority': 'shop.example:80' })
    let body = ''
    for await (const chunk of stream) body += String(chunk)
    client.close()
    const seen = JSON.parse(body) as { version: string; headers: Record<string, string> }
    assert.deepEqual([seen.version, seen.headers.host], ['1.1', 'shop.example:80'])
  })

  test('hop-by-hop fields of the upstream are removed', async () => {
    const { headers } = await sendRequest(daemon.url('default'), '/raw/hop-by-hop')
    assert.equal(headers['x-kept'], '1')
    for (const name of [
      'x-gone',
      'keep-alive',
      'proxy-connection',
      'upgrade',
      'trailer',
      'transfer-encoding',
    ])
      assert.equal(headers[name], undefined, name)
  })

  test('hop-by-hop fields of the client are removed', async () => {
    const { headers } = echoed(
      await sendRequest(daemon.url('default'), '/', {
        headers: {
          connection: 'keep-alive, x-gone',
          'x-gone': '1',
          'keep-alive': 'timeout=1',
          'proxy-connection': 'keep-alive',
          te: 'gzip, trailers',
          'proxy-authorization': 'Basic eA==',
          'x-kept': '1',
        },
      }),
    )
    assert.deepEqual(
      [
        headers['x-gone'],
        headers['keep-alive'],
        headers['proxy-connection'],
        headers.te,
        headers['x-kept'],
        headers['proxy-authorization'],
      ],
      [undefined, undefined, undefined, 'trailers', '1', 'Basic eA=='],
    )
  })

  for (const path of ['/both-lengths', '/two-lengths', '/gzip-coding', '/bad-status', '/bad-header'])
    test(`an upstream that responds with ${path} is 502, and the client connection stays open`, async () => {
      const one = `GET /raw${path} HTTP/1.1\r\nHost: a.example\r\n\r\n`
      const received = await say(`${one}GET /next HTTP/1.1\r\nHost: a.example\r\n\r\n`, /"target":"\/next"/)
      assert.match(received, /^HTTP\/1\.1 502 /)
    })

  test('an upstream with invalid chunks is an error, never a complete reply', async () => {
    const outcome = await sendRequest(daemon.url('default'), '/raw/no-chunk').then(
      ({ status }) => status,
      () => 'cut',
    )
    assert.ok(outcome === 502 || outcome === 'cut', String(outcome))
  })

  test('informational responses precede the response', async () => {
    const received = await say('GET /raw/hints HTTP/1.1\r\nHost: a.example\r\n\r\n', /ok$/)
    assert.match(received, /^HTTP\/1\.1 103 [^]*link: <\/a\.css>[^]*HTTP\/1\.1 200 /i)
  })

  test('repeated fields stay repeated', async () => {
    const { headers } = await sendRequest(daemon.url('default'), '/raw/cookies')
    assert.deepEqual([headers['set-cookie'], headers['x-a']], [['a=1', 'b=2'], '1, 2'])
  })

  test('the body of a GET is forwarded', async () => {
    assert.equal(echoed(await sendRequest(daemon.url('default'), '/', { body: 'query' })).body, 'query')
  })

  test('a client that half-closes after the request gets its reply', async () => {
    using client = await RawClient.to(port())
    client.send('GET /raw/late HTTP/1.1\r\nHost: a.example\r\n\r\n')
    client.socket.end()
    assert.match(await client.end(), /^HTTP\/1\.1 200 [^]*late$/)
  })

  for (const [what, host] of Object.entries({
    'with user information': 'user@a.example',
    'with a bad port': 'a.example:99999',
    'with a path': 'a.example/b',
    'that is empty': '',
  }))
    test(`a host ${what} is 400`, async () => {
      assert.match(await say(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`), /^HTTP\/1\.1 400 /)
    })

  test('an upgrade to h2c is ignored', async () => {
    const asked =
      'GET /up HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n'
    const received = await say(asked, /\r\n\r\n/)
    assert.doesNotMatch(received, /^HTTP\/1\.1 101/)
    const seen = echo.asked.find(({ target }) => target === '/up')
    assert.equal(seen?.headers.upgrade, undefined)
    assert.equal(seen?.headers['http2-settings'], undefined)
  })

  test('X-Forwarded fields are forwarded unchanged unless a policy sets them', async () => {
    const { headers } = echoed(
      await sendRequest(daemon.url('default'), '/', { headers: { 'x-forwarded-for': '1.2.3.4' } }),
    )
    assert.deepEqual(
      [headers['x-forwarded-for'], headers['x-forwarded-proto'], headers.forwarded],
      ['1.2.3.4', undefined, undefined],
    )
  })
})

test('X-Forwarded fields by policy', async (t) => {
  await using echo = await startEcho('echo')
  const sent = {
    'x-forwarded-for': '1.1.1.1, 2.2.2.2',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'public.example',
  }
  const outcomes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '{ mode: append }': {
      for: '1.1.1.1, 2.2.2.2, 127.0.0.1',
      proto: 'http',
      host: 'shop.example',
      to: 'http://shop.example/go',
    },
    '{ mode: overwrite }': {
      for: '127.0.0.1',
      proto: 'http',
      host: 'shop.example',
      to: 'http://shop.example/go',
    },
    '{ mode: append, trustedHops: 1 }': {
      for: '1.1.1.1, 2.2.2.2, 127.0.0.1',
      proto: 'https',
      host: 'public.example',
      to: 'https://shop.example/go',
    },
    '{ mode: overwrite, trustedHops: 1 }': {
      for: '2.2.2.2, 127.0.0.1',
      proto: 'https',
      host: 'public.example',
      to: 'https://shop.example/go',
    },
  }
  for (const [policy, seen] of Object.entries(outcomes))
    await t.test(policy, async () => {
      await using daemon = await startDaemon(`${anyPorts}
frontendPolicies: { http: { forwarded: ${policy} } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - { name: echo, backends: [{ host: "${echo.host}" }] }
  - { name: go, matches: [{ path: { exact: /go } }], policies: { requestRedirect: { } } }
`)
      const headers = { host: 'shop.example', ...sent }
      const { headers: got } = echoed(await sendRequest(daemon.url('default'), '/', { headers }))
      const { headers: sentTo } = await sendRequest(daemon.url('default'), '/go', { headers })
      assert.deepEqual(
        {
          for: got['x-forwarded-for'],
          proto: got['x-forwarded-proto'],
          host: got['x-forwarded-host'],
          to: sentTo.location,
        },
        seen,
      )
      assert.match(
        String(got.forwarded),
        new RegExp(`for=127\\.0\\.0\\.1;host="${seen.host}";proto=${seen.proto}$`),
      )
    })
})
