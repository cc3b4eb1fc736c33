import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Pool } from 'undici'
import { forwardTo, poolTo, startGateway, type TestGateway } from '../support/gateway.ts'
import { RawClient, statusesIn } from '../support/raw-client.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'

/** A request that may never arrive: it follows every shape, for a parser that loses its position. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: example.com\r\n\r\n'

const get = (...lines: readonly string[]): string =>
  ['GET / HTTP/1.1', 'Host: example.com', ...lines, '', ''].join('\r\n')
const post = (lines: readonly string[], body = ''): string =>
  ['POST / HTTP/1.1', 'Host: example.com', ...lines, '', body].join('\r\n')
const withHost = (...hosts: readonly string[]): string =>
  ['GET / HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), '', ''].join('\r\n')
const target = (text: string): string => `GET ${text} HTTP/1.1\r\nHost: example.com\r\n\r\n`

const chunked = '5\r\nhello\r\n0\r\n\r\n'

/** Broken heads: nothing of them is forwarded. The status is 400 unless given. */
const heads: Readonly<Record<string, string | { readonly bytes: string; readonly status: number }>> = {
  'Content-Length beside Transfer-Encoding': post(
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    chunked,
  ),
  'Transfer-Encoding beside Content-Length': post(
    ['Transfer-Encoding: chunked', 'Content-Length: 15'],
    chunked,
  ),
  'Content-Length 0 beside Transfer-Encoding': post(
    ['Content-Length: 0', 'Transfer-Encoding: chunked'],
    chunked,
  ),
  'two Content-Lengths that differ': post(['Content-Length: 5', 'Content-Length: 6'], 'hello'),
  'two Content-Lengths that agree': post(['Content-Length: 5', 'Content-Length: 5'], 'hello'),
  'a list in Content-Length': post(['Content-Length: 5, 5'], 'hello'),
  'a plus in Content-Length': post(['Content-Length: +5'], 'hello'),
  'a minus in Content-Length': post(['Content-Length: -5'], 'hello'),
  'a hexadecimal Content-Length': post(['Content-Length: 0x5'], 'hello'),
  'a space in Content-Length': post(['Content-Length: 5 5'], 'hello'),
  'an empty Content-Length': post(['Content-Length: '], 'hello'),
  'leading zeros in Content-Length': post(['Content-Length: 005'], 'hello'),
  'a Content-Length beyond 64 bits': post(['Content-Length: 99999999999999999999'], 'hello'),
  'a Content-Length beyond 53 bits': post(['Content-Length: 9007199254740993'], 'hello'),
  'a fraction in Content-Length': post(['Content-Length: 5.0'], 'hello'),
  'a Content-Length with a parameter': post(['Content-Length: 5;a=b'], 'hello'),
  'Content_Length, which CGI takes for the real one': post(['Content_Length: 5'], 'hello'),
  'Transfer_Encoding, which CGI takes for the real one': post(['Transfer_Encoding: chunked'], chunked),
  'gzip before chunked': post(['Transfer-Encoding: gzip, chunked'], chunked),
  'identity before chunked': post(['Transfer-Encoding: identity, chunked'], chunked),
  'identity after chunked': post(['Transfer-Encoding: chunked, identity'], chunked),
  'chunked twice in one field': post(['Transfer-Encoding: chunked, chunked'], chunked),
  'chunked in two fields': post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked),
  'identity in a second field': post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked),
  'identity alone': post(['Transfer-Encoding: identity', 'Content-Length: 5'], 'hello'),
  'a coding that ends in chunked': post(['Transfer-Encoding: xchunked'], chunked),
  'chunked with a parameter': post(['Transfer-Encoding: chunked;q=1'], chunked),
  'chunked in quotes': post(['Transfer-Encoding: "chunked"'], chunked),
  'chunked behind a vertical tab': post(['Transfer-Encoding: \x0bchunked'], chunked),
  'chunked behind a comma': post(['Transfer-Encoding: ,chunked'], chunked),
  'an empty Transfer-Encoding': post(['Transfer-Encoding: ', 'Content-Length: 5'], 'hello'),
  'a space before the colon of Transfer-Encoding': post(['Transfer-Encoding : chunked'], chunked),
  'a tab before the colon of Transfer-Encoding': post(['Transfer-Encoding\t: chunked'], chunked),
  'a space before the colon of Content-Length': post(['Content-Length : 5'], 'hello'),
  'a folded Transfer-Encoding': post(['Transfer-Encoding:\r\n chunked'], chunked),
  'a folded Content-Length': post(['Content-Length: 1\r\n 5'], 'hello'),
  'a folded field': get('X-Folded: a\r\n b'),
  'a fold before the first field': 'GET / HTTP/1.1\r\n Host: example.com\r\n\r\n',
  'bare line feeds': 'GET / HTTP/1.1\nHost: example.com\n\n',
  'a bare line feed after a field': 'GET / HTTP/1.1\r\nHost: example.com\nX-A: b\r\n\r\n',
  'a bare carriage return in a value': get('X-A: b\rX-B: c'),
  'a bare carriage return as a line end': 'GET / HTTP/1.1\rHost: example.com\r\r',
  'NUL in a value': get('X-A: b\0c'),
  'NUL in a name': get('X-A\0B: c'),
  'a control character in a value': get('X-A: b\x01c'),
  'DEL in a value': get('X-A: b\x7fc'),
  'a space in a name': get('X A: b'),
  'a bracket in a name': get('X(A): b'),
  'a byte above 127 in a name': get('X-\xe9: b'),
  'an empty name': get(': b'),
  'a field without a colon': get('X-A'),
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'two Hosts that differ': withHost('example.com', 'other.example'),
  'two Hosts that agree': withHost('example.com', 'example.com'),
  'an empty Host': withHost(''),
  'user information in Host': withHost('user@example.com'),
  'a path in Host': withHost('example.com/path'),
  'a list in Host': withHost('example.com, other.example'),
  'a space in Host': withHost('example.com other.example'),
  'a port beyond 65535 in Host': withHost('example.com:65536'),
  'a port that is no number in Host': withHost('example.com:http'),
  'an empty port in Host': withHost('example.com:'),
  'an open bracket in Host': withHost('[::1'),
  'an empty label in Host': withHost('example..com'),
  'an absolute target that disagrees with Host':
    'GET http://other.example/ HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'an absolute target with user information':
    'GET http://u@example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'an absolute target of another scheme': 'GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'an absolute target without a host': 'GET http:///path HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'an asterisk with GET': target('*'),
  'a fragment in the target': target('/a#b'),
  'a target without a slash': target('a'),
  'a control character in the target': target('/a\x01b'),
  'a tab in the target': target('/a\tb'),
  'an encoded NUL in the target': target('/a%00b'),
  'an encoded line feed in the target': target('/a%0ab'),
  'a broken escape in the target': target('/a%2'),
  'an encoded slash in the target': target('/a%2fb'),
  'an encoded backslash in the target': target('/a%5Cb'),
  'a backslash in the target': target('/a\\b'),
  'an overlong dot in the target': target('/%c0%ae%c0%ae/'),
  'a dot segment with a parameter': target('/a/..;x/b'),
  'a space in the target': target('/a b'),
  'HTTP/0.9': 'GET /\r\n',
  'HTTP/2.0 in the request line': 'GET / HTTP/2.0\r\nHost: example.com\r\n\r\n',
  'HTTP/1.2': 'GET / HTTP/1.2\r\nHost: example.com\r\n\r\n',
  'HTTP/1.10': 'GET / HTTP/1.10\r\nHost: example.com\r\n\r\n',
  'the protocol in lower case': 'GET / http/1.1\r\nHost: example.com\r\n\r\n',
  'something behind the version': 'GET / HTTP/1.1 x\r\nHost: example.com\r\n\r\n',
  'tabs in the request line': 'GET\t/\tHTTP/1.1\r\nHost: example.com\r\n\r\n',
  RTSP: 'DESCRIBE / RTSP/1.0\r\nHost: example.com\r\n\r\n',
  ICE: 'SOURCE / ICE/1.0\r\nHost: example.com\r\n\r\n',
  'a method of RTSP': 'DESCRIBE / HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'a method that is no token': 'G(T / HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'a method in lower case': 'get / HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'HTTP/1.0 with Transfer-Encoding':
    'POST / HTTP/1.0\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n' + chunked,
  'a Connection that removes Host': get('Connection: host'),
  'a Connection that removes Content-Length': post(
    ['Connection: content-length', 'Content-Length: 5'],
    'hello',
  ),
  'a Connection that removes Authorization': get('Authorization: Bearer x', 'Connection: authorization'),
  'a Connection that removes X-Forwarded-For': get('X-Forwarded-For: 1.2.3.4', 'Connection: x-forwarded-for'),
  'a Connection that is no list of tokens': get('Connection: close, a b'),
  'a Trailer that announces Content-Length': post(
    ['Trailer: Content-Length', 'Transfer-Encoding: chunked'],
    chunked,
  ),
  'an expectation nobody can meet': { bytes: get('Expect: a-miracle'), status: 417 },
  'a second expectation': {
    bytes: post(['Expect: 100-continue, more', 'Content-Length: 5'], 'hello'),
    status: 417,
  },
  'a body with an upgrade': post(['Connection: upgrade', 'Upgrade: websocket', 'Content-Length: 5'], 'hello'),
  'a path for CONNECT': 'CONNECT / HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'CONNECT without a port': 'CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'CONNECT with a body':
    'CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\nContent-Length: 5\r\n\r\nhello',
  'too many fields': { bytes: get(...Array.from({ length: 101 }, (_, i) => `X-${i}: a`)), status: 431 },
  'fields that are too large': { bytes: get(`X-A: ${'a'.repeat(20_000)}`), status: 431 },
  'a target that is too long': { bytes: target(`/${'a'.repeat(20_000)}`), status: 431 },
}

/** Broken bodies: the bytes after a valid head and first chunk. */
const bodies: Readonly<Record<string, string>> = {
  'a chunk size that is no number': 'g\r\nworld\r\n0\r\n\r\n',
  'a chunk size with 0x': '0x5\r\nworld\r\n0\r\n\r\n',
  'a negative chunk size': '-5\r\nworld\r\n0\r\n\r\n',
  'a plus in a chunk size': '+5\r\nworld\r\n0\r\n\r\n',
  'a chunk size beyond 64 bits': '10000000000000005\r\nworld\r\n0\r\n\r\n',
  'a space before a chunk size': ' 5\r\nworld\r\n0\r\n\r\n',
  'a space after a chunk size': '5 \r\nworld\r\n0\r\n\r\n',
  'an empty chunk size': '\r\nworld\r\n0\r\n\r\n',
  'a chunk that is longer than its size': '5\r\nworld!\r\n0\r\n\r\n',
  'a chunk that is shorter than its size': '6\r\nworld\r\n0\r\n\r\n',
  'no line end after a chunk': '5\r\nworld0\r\n\r\n',
  'a bare line feed after a chunk size': '5\nworld\r\n0\r\n\r\n',
  'a bare line feed after a chunk': '5\r\nworld\n0\r\n\r\n',
  'a bare line feed after the last chunk': '0\n\r\n',
  'a bare line feed after the last line': '0\r\n\n',
  'a bare carriage return after a chunk size': '5\rworld\r\n0\r\n\r\n',
  'a line feed in a chunk extension': '5;a\nb\r\nworld\r\n0\r\n\r\n',
  'a carriage return in a chunk extension': '5;a\rb\r\nworld\r\n0\r\n\r\n',
  'NUL in a chunk extension': '5;a=\0\r\nworld\r\n0\r\n\r\n',
  'a chunk extension without end': `5;${'a'.repeat(20_000)}\r\nworld\r\n0\r\n\r\n`,
  'a request in place of the last line': `0\r\n${SMUGGLED}`,
  'Content-Length as a trailer': '0\r\nContent-Length: 5\r\n\r\n',
  'Transfer-Encoding as a trailer': '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  'Host as a trailer': '0\r\nHost: other.example\r\n\r\n',
  'Authorization as a trailer': '0\r\nAuthorization: Bearer x\r\n\r\n',
  'a space before the colon of a trailer': '0\r\nX-A : b\r\n\r\n',
  'a folded trailer': '0\r\nX-A: b\r\n c\r\n\r\n',
  'a control character in a trailer': '0\r\nX-A: b\x01\r\n\r\n',
}

suite('HTTP/1.1 messages that parsers interpret differently', () => {
  let upstream: Recorder
  let pool: Pool
  let gateway: TestGateway

  before(async () => {
    upstream = await startRecorder()
    pool = poolTo(upstream.host)
    gateway = await startGateway([
      { listeners: [{ pipeline: forwardTo(pool) }], frontend: { http: { maxHeaderBytes: 16_384 } } },
    ])
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await pool.destroy()
    await upstream[Symbol.asyncDispose]()
  })

  for (const [name, shape] of Object.entries(heads)) {
    const { bytes, status } = typeof shape === 'string' ? { bytes: shape, status: 400 } : shape
    test(`${name}: refused, and the connection closed`, async () => {
      upstream.forget()
      using client = await RawClient.to(gateway.port())
      client.send(bytes + SMUGGLED)
      const answer = await client.end()
      assert.deepEqual(statusesIn(answer), [status])
      assert.match(answer, /^content-type: text\/plain\r$/im)
      assert.match(answer, /^connection: close\r$/im)
      assert.deepEqual(upstream.requests(), [])
    })
  }

  for (const [name, rest] of Object.entries(bodies)) {
    const head = post(['Transfer-Encoding: chunked'])
    test(`${name}: refused, and the upstream request aborted`, async () => {
      upstream.forget()
      using client = await RawClient.to(gateway.port())
      client.send(`${head}5\r\nhello\r\n${rest}${SMUGGLED}`)
      const answer = await client.end()
      assert.ok(
        statusesIn(answer).every((status) => status === 400 || status === 413),
        answer,
      )
      assert.ok(upstream.requests().length <= 1)
      assert.ok(upstream.requests().every((request) => !request.isComplete))
    })

    test(`${name}, after the upstream has begun to read: its request is aborted`, async () => {
      upstream.forget()
      using client = await RawClient.to(gateway.port())
      client.send(`${head}5\r\nhello\r\n`)
      await upstream.until(() => upstream.requests().some(({ body }) => body === 'hello'))
      client.send(rest + SMUGGLED)
      await client.end()
      await upstream.until(() => upstream.connections.every(({ closed }) => closed))
      assert.equal(upstream.requests().length, 1)
      assert.equal(upstream.requests()[0]?.isComplete, false)
    })
  }

  for (const leave of ['end', 'resetAndDestroy'] as const)
    for (const [name, head, body] of [
      ['a chunked body', 'Transfer-Encoding: chunked', '5\r\nhello\r\n'],
      ['a body of known length', 'Content-Length: 10', 'hello'],
    ] as const)
      test(`${name} that the client abandons (${leave}): the upstream request is aborted`, async () => {
        upstream.forget()
        using client = await RawClient.to(gateway.port())
        client.send(post([head], body))
        await upstream.until(() => upstream.requests().some((request) => request.body === 'hello'))
        client.socket[leave]()
        await upstream.until(() => upstream.connections.every(({ closed }) => closed))
        assert.equal(upstream.requests()[0]?.isComplete, false)
      })

  test('a valid request is forwarded, as a control', async () => {
    upstream.forget()
    using client = await RawClient.to(gateway.port())
    client.send(
      post(['Transfer-Encoding: chunked', 'Connection: close'], `5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n`),
    )
    assert.deepEqual(statusesIn(await client.end()), [200])
    assert.deepEqual(
      upstream.requests().map(({ body, isComplete }) => [body, isComplete]),
      [['hello', true]],
    )
  })

  test('the table has at least 120 cases', () => {
    assert.ok(Object.keys(heads).length + Object.keys(bodies).length >= 120)
  })
})
