import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import zlib from 'node:zlib'
import { sendRequest } from '../../support/send-request.ts'
import { chunk, completion, ending } from '../../support/llm/completions-stream.ts'
import { besideNeighbour } from '../../support/llm/beside-neighbour.ts'
import { userMessage } from '../../support/llm/model-request.ts'
import { events, json, type ProviderScript, raw } from '../../support/llm/scripted-providers.ts'
import { type WithProviders, withProviders } from '../../support/llm/with-providers.ts'

const MB = 1024 * 1024
const whole = JSON.stringify(completion('One'))
const stream = Buffer.from(chunk('One') + ending())

const answer =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): ProviderScript =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

const jsonType = 'content-type: application/json\r\n'
const sseType = 'content-type: text/event-stream\r\n'
const sse = { 'content-type': 'text/event-stream' }

/** Each byte in its own write. */
const dribble =
  (bytes: Buffer, headers: Readonly<Record<string, string>>): ProviderScript =>
  (response) => {
    response.writeHead(200, headers)
    const next = (i: number): void => {
      if (i < bytes.length) response.write(bytes.subarray(i, i + 1), () => setImmediate(next, i + 1))
      else response.end()
    }
    next(0)
  }

/** What is wrong, and the expected status and text of the reply. */
const cases: Readonly<Record<string, readonly [script: ProviderScript, status: number, told: RegExp]>> = {
  'no-http': [raw('what?\r\n\r\n'), 502, /./],
  'half-a-head': [raw('HTTP/1.1 200 OK\r\ncontent-le'), 503, /./],
  'a-bad-length': [raw('HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}'), 502, /./],
  'two-lengths': [raw(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x`), 502, /./],
  'a-length-too-short': [
    raw(`HTTP/1.1 200 OK\r\n${jsonType}content-length: ${whole.length}\r\n\r\n${whole}HTTP/1.1 200 OK`),
    200,
    /One/,
  ],
  'a-stream-of-a-length-too-long': [
    raw(`HTTP/1.1 200 OK\r\n${sseType}content-length: 9999\r\n\r\n${chunk('One')}`),
    200,
    /One[^]*"(?:message|error)"/,
  ],
  'a-stream-of-chunks-that-are-none': [
    raw(`HTTP/1.1 200 OK\r\n${sseType}transfer-encoding: chunked\r\n\r\n${chunk('One')}`),
    200,
    /"(?:message|error)"/,
  ],
  'a-huge-head': [raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MB)}\r\n\r\n{}`), 502, /./],
  nothing: [(response) => response.destroy(), 503, /./],
  redirect: [answer('{}', { location: 'http://127.0.0.1:1/' }, 302), 502, /"message":"[^"]+"/],
  'redirect-for-good': [
    answer('gone', { location: '/', 'content-type': 'text/html' }, 308),
    502,
    /"message"/,
  ],
  'gzipped-error': [
    answer(zlib.gzipSync('{"error":{"message":"Zipped."}}'), { 'content-encoding': 'gzip' }, 400),
    400,
    /Zipped\./,
  ],
  'error-without-json': [
    answer('<h1>no</h1>', { 'content-type': 'text/html' }, 503),
    503,
    /"message":"[^"]+"/,
  ],
  gzipped: [answer(zlib.gzipSync(whole), { 'content-encoding': 'gzip' }), 200, /One/],
  brotli: [answer(zlib.brotliCompressSync(whole), { 'content-encoding': 'br' }), 200, /One/],
  'unknown-encoding': [answer(whole, { 'content-encoding': 'compress' }), 502, /encoding/],
  'not-gzipped': [answer(whole, { 'content-encoding': 'gzip' }), 502, /decode/],
  'a-bomb': [answer(zlib.gzipSync(Buffer.alloc(50 * MB)), { 'content-encoding': 'gzip' }), 502, /16777216/],
  'gzipped-stream': [answer(zlib.gzipSync(stream), { ...sse, 'content-encoding': 'gzip' }), 200, /One/],
  'zstd-stream': [answer(zlib.zstdCompressSync(stream), { ...sse, 'content-encoding': 'zstd' }), 200, /One/],
  'unknown-stream': [answer(stream, { ...sse, 'content-encoding': 'compress' }), 502, /encoding/],
  'not-gzipped-stream': [answer(stream, { ...sse, 'content-encoding': 'gzip' }), 200, /decode/],
  'half-gzipped-stream': [
    answer(zlib.gzipSync(stream).subarray(0, 60), { ...sse, 'content-encoding': 'gzip' }),
    200,
    /decode/,
  ],
  'byte-by-byte': [dribble(Buffer.from(whole), { 'content-type': 'application/json' }), 200, /One/],
  'stream-byte-by-byte': [dribble(stream, sse), 200, /One/],
  'an-event-of-10-mb': [events(chunk('One'), chunk('x'.repeat(10 * MB)), ending()), 200, /xxxx/],
  'an-event-of-20-mb': [
    events(chunk('One'), chunk('x'.repeat(20 * MB)), ending()),
    200,
    /exceeds the limit of 16777216 bytes/,
  ],
  'a-line-without-end': [
    events(chunk('One'), 'x'.repeat(20 * MB)),
    200,
    /exceeds the limit of 16777216 bytes/,
  ],
}

/** Responses that only a translation parses. */
const translatedOnly: typeof cases = {
  'no-json': [answer('{"choices":'), 502, /failed to parse response/],
  'a-list': [answer('[]'), 502, /failed to parse response/],
  'an-error-inside': [json(200, { error: { message: 'Not today.' } }), 502, /"message":"[^"]+"/],
  'other-types': [json(200, { choices: 'x', usage: [] }), 502, /invalid response/],
  'a-length-too-long': [
    raw(`HTTP/1.1 200 OK\r\n${jsonType}content-length: 9999\r\n\r\n${whole}`),
    503,
    /"message":"[^"]+"/,
  ],
  'too-long': [answer(JSON.stringify(completion('x'.repeat(20 * MB)))), 502, /16777216/],
  'very-deep': [answer(`{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 502, /"message":"[^"]+"/],
}

const all = { ...cases, ...translatedOnly }
const scripts = Object.fromEntries(Object.entries(all).map(([name, [script]]) => [name, script]))

suite('hostile responses of providers', { concurrency: 2 }, () => {
  let gateway: WithProviders<string>
  before(async () => {
    gateway = await withProviders(scripts)
  })
  after(() => gateway[Symbol.asyncDispose]())

  for (const [name, [, status, told]] of Object.entries(all))
    for (const dialect of name in translatedOnly
      ? (['messages', 'responses'] as const)
      : (['completions', 'messages', 'responses'] as const))
      test(`${dialect}: ${name.replaceAll('-', ' ')}`, async () => {
        const isStream = /stream|event|line/.test(name)
        const { path, request: asked } = userMessage(dialect, name, 'hi', isStream)
        const got = await besideNeighbour(gateway.origin, () =>
          sendRequest(gateway.origin, path, { ...asked, signal: AbortSignal.timeout(300_000) }),
        )
        assert.equal(got.status, status, got.text.slice(0, 300))
        assert.match(got.text, told)
        assert.equal(got.headers.location, undefined)
        assert.equal(got.headers['content-encoding'], undefined)
        if (!isStream) assert.doesNotThrow(() => JSON.parse(got.text) as unknown)
      })

  test('do not end the process, and are not logged as bugs', () => {
    assert.equal(gateway.daemon.child.exitCode, null)
    const bugs = gateway.daemon
      .output()
      .split('\n')
      .filter((line) => /reason=Internal|[A-Z]\w*Error:|[Uu]ncaught/.test(line))
    assert.deepEqual(bugs, [])
  })
})
