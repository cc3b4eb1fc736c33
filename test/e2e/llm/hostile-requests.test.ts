import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import zlib from 'node:zlib'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { besideNeighbour } from '../../support/llm/beside-neighbour.ts'
import { completion } from '../../support/llm/completions-stream.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'
import { json } from '../../support/llm/scripted-providers.ts'
import { type WithProviders, withProviders } from '../../support/llm/with-providers.ts'

const MB = 1024 * 1024
const LIMIT = 2 * MB

/** A request of about this many bytes. */
const long = (bytes: number): string =>
  String(userMessage('completions', 'good', 'x'.repeat(bytes)).request.body)

/** Nested lists in a field of a request. */
const deep = (levels: number, where: string, model: string): string => {
  const content = [{ role: 'user', content: 'hi' }]
  const request = { model, max_tokens: 9, messages: content, input: 'hi', [where]: 'here' }
  return JSON.stringify(request).replace('"here"', '['.repeat(levels) + ']'.repeat(levels))
}

const encoders = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes: Buffer) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zlib.zstdCompressSync,
} as const

suite('hostile requests of clients', () => {
  let all: WithProviders<'good'>
  before(async () => {
    all = await withProviders({ good: json(200, completion('Yes.')) })
  })
  after(() => all[Symbol.asyncDispose]())

  const send = (
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
    path = '/v1/chat/completions',
  ): Promise<ReceivedResponse> =>
    sendRequest(all.origin, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(300_000),
    })

  const hostile = (name: string, run: () => Promise<void>): void => {
    test(name, () => besideNeighbour(all.origin, run))
  }

  for (const bytes of [1, 1000, 100_000, MB, LIMIT - 200])
    hostile(`${String(bytes)} bytes of text are accepted`, async () => {
      const { status, text } = await send(long(bytes))
      assert.equal(status, 200, text)
    })

  for (const bytes of [LIMIT, 10 * MB, 100 * MB])
    hostile(`${String(bytes)} bytes of text exceed the limit, which is named`, async () => {
      const { status, text } = await send(long(bytes)).catch((error: unknown) => {
        // A client that writes without reading the reply may be reset.
        assert.match(String(error), /ECONNRESET|EPIPE/)
        return { status: 413, text: String(LIMIT) }
      })
      assert.equal(status, 413, text)
      assert.match(text, new RegExp(String(LIMIT)))
    })

  hostile('an empty body is not JSON', async () => {
    for (const { path } of dialects.map((dialect) => userMessage(dialect, 'good', 'hi'))) {
      const { status, text } = await send('', {}, path)
      assert.equal(status, 400, text)
      assert.match(text, /must be valid JSON/)
    }
  })

  for (const levels of [1_000, 100_000])
    for (const where of ['extra', 'tools', 'messages', 'metadata', 'response_format'])
      hostile(`${String(levels)} nested lists in ${where} are harmless`, async () => {
        for (const model of ['good', 'mock'])
          for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
            const { status, text } = await send(deep(levels, where, model), {}, path)
            assert.ok([200, 400].includes(status), `${path}: ${String(status)} ${text.slice(0, 300)}`)
          }
      })

  for (const [what, bytes] of [
    ['a byte that never is', Buffer.from([0x7b, 0xff, 0x7d])],
    ['half a character', Buffer.from('{"model":"good","messages":"\xe2\x82"}', 'latin1')],
    ['a surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"model":"good"}', 'utf16le')],
    ['a null', Buffer.from('{"model":"good"\0}')],
    ['half an object', Buffer.from('{"model":"good"')],
    ['two objects', Buffer.from('{"model":"good"}{"model":"good"}')],
    ['a list', Buffer.from('[{"model":"good"}]')],
    ['NaN', Buffer.from('{"model":"good","messages":NaN}')],
    ['a form', Buffer.from('model=good&messages=hi')],
  ] as const)
    hostile(`${what} is refused`, async () => {
      for (const { path } of dialects.map((dialect) => userMessage(dialect, 'good', 'hi'))) {
        const { status, text } = await send(bytes, {}, path)
        assert.equal(status, 400, text)
        assert.doesNotThrow(() => JSON.parse(text) as unknown)
      }
    })

  hostile('a body with another content type, or none, is parsed as JSON', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', '']) {
      const { status, text } = await send(long(10), { 'content-type': type })
      assert.equal(status, 200, `${type}: ${text}`)
    }
  })

  for (const [encoding, encode] of Object.entries(encoders)) {
    hostile(`${encoding} is decoded`, async () => {
      for (const written of [encoding, `identity, ${encoding}`, encoding.toUpperCase()]) {
        const { status, text } = await send(encode(Buffer.from(long(10))), { 'content-encoding': written })
        assert.equal(status, 200, text)
        const got = all.providers.asked('good').at(-1)
        assert.equal(got?.headers['content-encoding'], undefined)
        assert.equal(got?.body.toString(), long(10))
      }
    })

    hostile(`a body that is not ${encoding} as declared is refused`, async () => {
      const whole = encode(Buffer.from(long(1000)))
      for (const body of [Buffer.from(long(10)), whole.subarray(0, whole.length - 5), Buffer.from('\0\0')]) {
        const { status, text } = await send(body, { 'content-encoding': encoding })
        assert.equal(status, 400, text)
      }
    })

    hostile(`a decompression bomb in ${encoding} exceeds the limit, which is named`, async () => {
      const bomb = encode(Buffer.alloc(50 * MB, 0x20))
      assert.ok(bomb.length < LIMIT)
      const { status, text } = await send(bomb, { 'content-encoding': encoding })
      assert.equal(status, 413, text)
      assert.match(text, new RegExp(String(LIMIT)))
    })
  }

  for (const written of ['compress', 'gzip, gzip', 'gzip, br', 'aws-chunked', '*'])
    hostile(`the encoding ${JSON.stringify(written)} is refused`, async () => {
      for (const { path } of dialects.map((dialect) => userMessage(dialect, 'good', 'hi'))) {
        const { status, text } = await send(zlib.gzipSync('{}'), { 'content-encoding': written }, path)
        assert.equal(status, 415, text)
      }
    })

  test('do not end the process, and are not logged as bugs', () => {
    assert.equal(all.daemon.child.exitCode, null)
    const bugs = all.daemon
      .output()
      .split('\n')
      .filter((line) => /reason=Internal|[A-Z]\w*Error:|[Uu]ncaught/.test(line))
    assert.deepEqual(bugs, [])
  })
})
