import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Pool } from 'undici'
import { forwardTo, poolTo, startGateway, type TestGateway } from '../support/gateway.ts'
import {
  flag,
  frame,
  frameType,
  get,
  headerBlock,
  headers,
  post,
  RawHttp2Client,
} from '../support/h2-client.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'

/** A longer test waits for something that never happens, however slow the machine is. */
const HANGS_MS = 60_000

type Fields = readonly (readonly [name: string, value: string])[]

const without = (name: string): Fields => get().filter(([field]) => field !== name)
const replaced = (name: string, value: string): Fields =>
  get().map(([field, before]) => [field, field === name ? value : before])
const more = (...fields: Fields): Fields => [...get(), ...fields]
const connectTo = (authority: string, ...fields: Fields): Fields => [
  [':method', 'CONNECT'],
  [':authority', authority],
  ...fields,
]

/** Heads that may not be forwarded: HTTP/1.1 cannot express them, or would mean something else. */
const heads: Readonly<Record<string, Fields>> = {
  'no method': without(':method'),
  'no scheme': without(':scheme'),
  'no path': without(':path'),
  'no authority and no host': without(':authority'),
  'two methods': [[':method', 'POST'], ...get()],
  'two paths': [[':path', '/other'], ...get()],
  'two authorities': [[':authority', 'other.example'], ...get()],
  'two schemes': [[':scheme', 'https'], ...get()],
  'a pseudo-header nobody knows': [[':version', '1'], ...get()],
  'the pseudo-header of answers': [[':status', '200'], ...get()],
  'a pseudo-header behind a field': [...without(':path'), ['x-a', 'b'], [':path', '/']],
  'an empty path': replaced(':path', ''),
  'a path without a slash': replaced(':path', 'a'),
  'a whole URL as the path': replaced(':path', 'http://other.example/'),
  'a space in the path': replaced(':path', '/ HTTP/1.1'),
  'a request behind the path': replaced(':path', '/ HTTP/1.1\r\nHost: other.example\r\n\r\nGET /smuggled'),
  'a fragment in the path': replaced(':path', '/a#b'),
  'an encoded NUL in the path': replaced(':path', '/a%00'),
  'an encoded slash in the path': replaced(':path', '/a%2f..'),
  'an asterisk with GET': replaced(':path', '*'),
  'a space in the method': replaced(':method', 'GET /smuggled HTTP/1.1'),
  'a line end in the method': replaced(':method', 'GET\r\n'),
  'a method in lower case': replaced(':method', 'get'),
  'an empty method': replaced(':method', ''),
  'a scheme that is more than one': replaced(':scheme', 'http://other.example/'),
  'a scheme nobody knows': replaced(':scheme', 'ftp'),
  'user information in the authority': replaced(':authority', 'user@example.com'),
  'a path in the authority': replaced(':authority', 'example.com/path'),
  'a line end in the authority': replaced(':authority', 'example.com\r\nx-a: b'),
  'a bad port in the authority': replaced(':authority', 'example.com:65536'),
  'an empty authority': replaced(':authority', ''),
  'a host that disagrees with the authority': more(['host', 'other.example']),
  'a second host that disagrees': [
    ...without(':authority'),
    ['host', 'example.com'],
    ['host', 'other.example'],
  ],
  'a name in upper case': more(['X-A', 'b']),
  Connection: more(['connection', 'close']),
  'Keep-Alive': more(['keep-alive', 'timeout=5']),
  'Proxy-Connection': more(['proxy-connection', 'keep-alive']),
  'Transfer-Encoding': more(['transfer-encoding', 'chunked']),
  Upgrade: more(['upgrade', 'websocket']),
  'TE that is not trailers': more(['te', 'gzip']),
  'Transfer_Encoding, which CGI takes for the real one': more(['transfer_encoding', 'chunked']),
  'Content_Length, which CGI takes for the real one': more(['content_length', '5']),
  'a body announced that does not come': more(['content-length', '5']),
  'two Content-Lengths': more(['content-length', '0'], ['content-length', '0']),
  'a Content-Length that is no number': more(['content-length', '+0']),
  'a path for CONNECT': connectTo('example.com:80', [':path', '/']),
  'CONNECT without a port': connectTo('example.com'),
  'a protocol without CONNECT': [[':protocol', 'websocket'], ...get()],
  'a blank before a value': more(['x-a', ' b']),
  'a blank after a value': more(['x-a', 'b\t']),
}

/** Fields that Node's parser drops before they can be refused: the request is forwarded without them. */
const dropped: Readonly<Record<string, readonly [name: string, value: string]>> = {
  'a space in a name': ['x a', 'b'],
  'a colon in a name': ['x-a:b', 'c'],
  'a line end in a name': ['x-a: b\r\nx-b', 'c'],
  'an empty name': ['', 'b'],
  'a line end in a value': ['x-a', 'b\r\nx-b: c'],
  'a line feed in a value': ['x-a', 'b\nx-b: c'],
  'NUL in a value': ['x-a', 'b\0c'],
}

/** Bodies that break after `hello` has been sent. */
const bodies: Readonly<Record<string, { readonly length?: string; readonly then: readonly Buffer[] }>> = {
  'fewer bytes than Content-Length says': {
    length: '10',
    then: [frame(frameType.data, flag.endStream, 1, 'x')],
  },
  'more bytes than Content-Length says': { length: '6', then: [frame(frameType.data, 0, 1, 'world')] },
  'a reset (CANCEL)': { then: [frame(frameType.resetStream, 0, 1, Buffer.from([0, 0, 0, 8]))] },
  'a reset (NO_ERROR)': { then: [frame(frameType.resetStream, 0, 1, Buffer.from([0, 0, 0, 0]))] },
  'a reset (INTERNAL_ERROR)': { then: [frame(frameType.resetStream, 0, 1, Buffer.from([0, 0, 0, 2]))] },
  'a trailer that frames': { then: [headers(1, [['content-length', '5']])] },
  'a trailer that authenticates': { then: [headers(1, [['authorization', 'Bearer x']])] },
  'a pseudo-header as a trailer': { then: [headers(1, [[':path', '/smuggled']])] },
  'trailers that do not end the stream': { then: [headers(1, [['x-a', 'b']], flag.endHeaders)] },
  'a second head': { then: [headers(1, get('/smuggled'), flag.endHeaders)] },
  'padding longer than its frame': { then: [frame(frameType.data, flag.padded, 1, Buffer.from([9, 1, 2]))] },
  'a frame beyond the agreed size': { then: [frame(frameType.data, 0, 1, Buffer.alloc(16_385))] },
}

/** Frames that break the connection. */
const frames: Readonly<Record<string, readonly Buffer[]>> = {
  'data for no stream': [frame(frameType.data, 0, 0, 'x')],
  'data for a stream that has not begun': [frame(frameType.data, 0, 1, 'x')],
  'a request on an even stream': [headers(2, get())],
  'a request on stream 0': [headers(0, get())],
  'a continuation of nothing': [frame(frameType.continuation, flag.endHeaders, 1, headerBlock(get()))],
  'something between a head and its continuation': [
    headers(1, get(), flag.endStream),
    frame(frameType.ping, 0, 0, Buffer.alloc(8)),
  ],
  'a head that is no HPACK': [
    frame(frameType.headers, flag.endHeaders | flag.endStream, 1, Buffer.from([0xff])),
  ],
  'settings of a wrong size': [frame(frameType.settings, 0, 0, Buffer.alloc(5))],
  'settings for a stream': [frame(frameType.settings, 0, 1)],
  'a ping of a wrong size': [frame(frameType.ping, 0, 0, Buffer.alloc(7))],
  'a window update of nothing': [frame(frameType.windowUpdate, 0, 0, Buffer.alloc(4))],
  'a window beyond 31 bits': [frame(frameType.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))],
  'a push from a client': [
    frame(5, flag.endHeaders, 1, Buffer.concat([Buffer.from([0, 0, 0, 2]), headerBlock(get())])),
  ],
  'a reset of a stream that has not begun': [frame(frameType.resetStream, 0, 1, Buffer.from([0, 0, 0, 8]))],
  'a head without end': [
    headers(1, get(), 0),
    ...Array.from({ length: 64 }, () =>
      frame(frameType.continuation, 0, 1, headerBlock([['x-a', 'b'.repeat(8_000)]])),
    ),
  ],
}

suite('HTTP/2 messages that HTTP/1.1 would interpret differently', { timeout: 5 * HANGS_MS }, () => {
  let upstream: Recorder
  let pool: Pool
  let gateway: TestGateway

  before(async () => {
    upstream = await startRecorder('')
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

  for (const [name, fields] of Object.entries(heads))
    test(`${name}: the stream is reset`, { timeout: HANGS_MS }, async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      client.send(headers(1, fields))
      assert.notEqual(await client.outcome(1), 'answered')
      assert.deepEqual(upstream.requests(), [])
    })

  for (const [name, field] of Object.entries(dropped))
    test(`${name}: the field is dropped`, { timeout: HANGS_MS }, async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      client.send(headers(1, more(field, ['x-last', 'z'])))
      await upstream.until(() => upstream.requests().length > 0)
      assert.deepEqual(
        upstream.requests().map(({ head }) => head.split('\r\n')),
        [['GET / HTTP/1.1', 'host: example.com', 'connection: keep-alive', 'x-last: z']],
      )
    })

  for (const [name, { length, then }] of Object.entries(bodies))
    test(
      `${name}: the stream is reset, and the upstream request aborted`,
      { timeout: HANGS_MS },
      async () => {
        upstream.forget()
        using client = new RawHttp2Client(gateway.port())
        const fields = length === undefined ? post() : [...post(), ['content-length', length] as const]
        client.send(headers(1, fields, flag.endHeaders), frame(frameType.data, 0, 1, 'hello'))
        await upstream.until(() => upstream.requests().some(({ body }) => body === 'hello'))
        client.send(...then)
        await upstream.until(() => upstream.connections.every(({ closed }) => closed))
        assert.deepEqual(
          upstream.requests().map(({ isComplete }) => isComplete),
          [false],
        )
      },
    )

  for (const [name, bytes] of Object.entries(frames))
    test(`${name}: the connection is closed`, { timeout: HANGS_MS }, async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      client.send(...bytes)
      assert.notEqual(await client.outcome(1), 'answered')
      assert.deepEqual(upstream.requests(), [])
    })

  for (const [name, fields, status] of [
    ['an expectation nobody can meet', more(['expect', 'a-miracle']), 417],
    [
      'a protocol that is not allowed',
      [[':protocol', 'connect-udp'], ...replaced(':method', 'CONNECT')],
      501,
    ],
    ['fields that are too large', more(['x-a', 'a'.repeat(9_000)], ['x-b', 'b'.repeat(7_400)]), 431],
    ['too many fields', more(...Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'a'] as const)), 431],
  ] as const)
    test(`${name}: the status is ${status}`, { timeout: HANGS_MS }, async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      client.send(headers(1, fields))
      const head = await client.until(({ type, stream }) => stream === 1 && type === frameType.headers)
      assert.ok(head)
      assert.equal(await client.outcome(1), 'answered')
      assert.deepEqual(upstream.requests(), [])
    })

  const resets = Array.from({ length: 1_000 }, (_, i) =>
    Buffer.concat([
      headers(2 * i + 1, get()),
      frame(frameType.resetStream, 0, 2 * i + 1, Buffer.from([0, 0, 0, 8])),
    ]),
  )
  for (const [name, pieces] of [
    ['a client that resets one request after the other', resets],
    // What arrives with the preface is read at once: all streams are reset before any of them is reported.
    ['a client that resets many requests at once', [Buffer.concat(resets)]],
  ] as const)
    test(`${name} gets ENHANCE_YOUR_CALM`, { timeout: HANGS_MS }, async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      for (const piece of pieces) client.send(piece)
      const goAway = await client.until(({ type }) => type === frameType.goAway)
      assert.equal(goAway?.payload.readUInt32BE(4), 11, 'ENHANCE_YOUR_CALM')
    })

  test(
    'a client gets the announced number of concurrent streams, and no more',
    { timeout: HANGS_MS },
    async () => {
      upstream.forget()
      using client = new RawHttp2Client(gateway.port())
      const settings = await client.until(({ type, flags }) => type === frameType.settings && flags === 0)
      assert.ok(settings)
      const allowed = settingOf(settings.payload, 3)
      for (let i = 0; i <= allowed; i++) client.send(headers(2 * i + 1, get()))
      assert.notEqual(await client.outcome(2 * allowed + 1), 'answered')
    },
  )

  test('a valid request is forwarded, as a control', async () => {
    upstream.forget()
    using client = new RawHttp2Client(gateway.port())
    client.send(
      headers(1, [...post('/a?b=c'), ['content-length', '5']], flag.endHeaders),
      frame(frameType.data, flag.endStream, 1, 'hello'),
    )
    await upstream.until(() => upstream.requests().some(({ isComplete }) => isComplete))
    assert.match(upstream.requests()[0]!.head, /^POST \/a\?b=c HTTP\/1\.1\r\nhost: example\.com\r\n/)
  })
})

const settingOf = (payload: Buffer, id: number): number => {
  for (let at = 0; at < payload.length; at += 6)
    if (payload.readUInt16BE(at) === id) return payload.readUInt32BE(at + 2)
  return NaN
}
