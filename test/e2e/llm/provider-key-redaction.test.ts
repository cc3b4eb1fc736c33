import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import zlib from 'node:zlib'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { WebSocket, WebSocketServer } from 'ws'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { awsFrame } from '../../support/llm/aws-frame.ts'
import { callModel, type ClientFormat, clientFormats, completions } from '../../support/llm/client-formats.ts'
import { completion, type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'

const KEY = 'sk-proj-0aZ9-mE3tYq7LwXv5BnR2cKd8'
const ODD_KEY = 'Ab/cD+eF=gH&iJ<kL>mN"oP'

const configuration = (host: string) => `${anyPorts}
  logging: { level: trace, format: json }
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - { name: openai, provider: openAI, params: { hostOverride: "${host}", apiKey: ${KEY} } }
    - { name: anthropic, provider: anthropic, params: { hostOverride: "${host}", apiKey: ${KEY} } }
    - { name: google, provider: gemini, params: { hostOverride: "${host}", apiKey: "AIza${KEY}" } }
    - { name: query, provider: gemini, params: { hostOverride: "${host}" }, auth: { key: { value: ${KEY}, location: { queryParameter: { name: key } } } } }
    - { name: placed, provider: openAI, params: { hostOverride: "${host}" }, auth: { key: { value: ${KEY}, location: { header: { name: x-own-place, prefix: "Token " } } } } }
    - { name: set, provider: openAI, params: { hostOverride: "${host}" }, requestHeaders: { set: { authorization: "Bearer ${KEY}" } } }
    - { name: odd, provider: openAI, params: { hostOverride: "${host}" }, auth: { key: { value: '${ODD_KEY}', location: { header: { name: x-api-key } } } } }
    - { name: basic, provider: openAI, params: { hostOverride: "${host}" }, requestHeaders: { set: { authorization: "Basic ${Buffer.from(`user:${KEY}`).toString('base64')}" } } }
    - { name: signed, provider: bedrock, params: { awsRegion: eu-west-1, hostOverride: "${host}" }, auth: { aws: { accessKeyId: AKIA0123456789ABCDEF, secretAccessKey: "s123456789012345678901234567890123456789", sessionToken: "${KEY}" } } }
    - { name: passing, provider: openAI, params: { hostOverride: "${host}" }, auth: { passthrough: {} } }
    - { name: guarded, provider: openAI, params: { hostOverride: "${host}", apiKey: ${KEY} }, guardrails: { response: [ { regex: { action: mask, rules: [ { pattern: nothing-of-it } ] } } ], streaming: Enabled } }
    - { name: '*', provider: openAI, params: { hostOverride: "${host}", apiKey: ${KEY} } }
`

const ownModels = ['openai', 'anthropic', 'google', 'query', 'placed', 'set', 'basic', 'signed', 'guarded']
const secrets = [
  KEY,
  KEY.slice(0, 24),
  Buffer.from(`user:${KEY}`).toString('base64'),
  'AKIA0123456789ABCDEF',
  ODD_KEY,
]

const assertHidden = (what: string, text: string) => {
  for (const secret of secrets)
    for (const spelled of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      assert.equal(text.includes(spelled), false, `${what}: ${text.slice(0, 2_000)}`)
}

/** The parts of a request that a provider could repeat in an error. */
const known = ({ path, rawHeaders }: { path: string; rawHeaders: readonly string[] }) =>
  `Incorrect API key provided: ${path} ${rawHeaders.join(' ')}`

suite('a provider that repeats the key of the gateway', { concurrency: false }, () => {
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    provider = await startProvider()
    daemon = await startDaemon(configuration(provider.host))
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  const raw = async (
    path: string,
    body: object | undefined,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage & { bytes: Buffer }> => {
    const { hostname, port } = new URL(daemon.url('default'))
    const req = request({
      hostname,
      port,
      path,
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    }).end(body && JSON.stringify(body))
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    return Object.assign(res, { bytes: await buffer(res) })
  }

  const errorsFor = (format: ClientFormat, message: string) =>
    JSON.stringify(format.error(401, message, 'invalid_api_key'))

  for (const model of ownModels)
    test(`does not leak it in errors, in any client format (${model})`, async () => {
      for (const format of clientFormats)
        for (const shape of clientFormats) {
          provider.calls.length = 0
          provider.answer = (call, res) => {
            const body = errorsFor(shape, known(call))
            res.writeHead(401, 'no', {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
              'www-authenticate': `Bearer error="${call.rawHeaders.join(' ').replaceAll('"', '')}"`,
              'x-url': call.path,
            })
            res.end(body)
          }
          const { status, text, headers } = await callModel(daemon.url('default'), format, model)
          assertHidden(`${format.name} ${shape.name}`, text + JSON.stringify(headers))
          if (provider.calls.length) assert.equal(status, 401)
        }
    })

  test('does not leak it in informational responses', async () => {
    for (const model of ownModels) {
      provider.answer = (call, res) => {
        res.writeEarlyHints({ link: `<https://a/?key=${known(call)}>`, 'x-said': known(call) })
        res.writeHead(200, { 'content-type': 'application/json' })
        res.end(JSON.stringify(completion))
      }
      const { hostname, port } = new URL(daemon.url('default'))
      const req = request({ hostname, port, path: '/v1/chat/completions', method: 'POST', agent: false })
      const hints: unknown[] = []
      req.on('information', ({ statusCode, rawHeaders }) => hints.push(statusCode, ...rawHeaders))
      req.end(JSON.stringify({ model, messages: [] }))
      const [res] = (await once(req, 'response')) as [IncomingMessage]
      await buffer(res)
      assert.equal(hints[0], 103)
      assert.match(hints.join(' '), /Incorrect API key provided: [^>]*\*{8}/)
      assertHidden(model, hints.join(' '))
    }
  })

  test('does not leak it in whole responses and passthrough', async () => {
    for (const path of ['/v1/chat/completions', '/v1/files', '/v1/images/generations', '/whatever']) {
      provider.answer = (call, res) => {
        const body = JSON.stringify({ ...completion, model: known(call), id: call.headers.authorization })
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        res.end(body)
      }
      const { bytes, headers } = await raw(path, { model: 'any', messages: [] })
      assertHidden(path, bytes.toString() + JSON.stringify(headers))
      assert.match(bytes.toString(), /"id":"Bearer \*{33}"/)
      assert.equal(headers['content-length'], String(bytes.length))
    }
  })

  for (const [name, cut] of [
    ['one byte at a time', 1],
    ['in pieces', 7],
  ] as const)
    test(`does not leak it in streams that come ${name}`, async () => {
      for (const path of ['/v1/chat/completions', '/v1/whatever'])
        for (const model of ['openai', 'guarded']) {
          if (path === '/v1/whatever' && model === 'guarded') continue
          provider.answer = (call, res) => {
            const said = [
              {
                ...completion,
                object: 'chat.completion.chunk',
                choices: [{ index: 0, delta: { content: 'hi' } }],
              },
              { error: { message: known(call), type: 'invalid_request_error', code: 'x', param: null } },
            ]
            void trickle(res, said.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''), cut)
          }
          const { bytes } = await raw(path, { model, stream: true, messages: [] })
          assertHidden(path, bytes.toString())
          assert.match(bytes.toString(), /"content":"hi"/)
          assert.match(bytes.toString(), /Incorrect API key provided/)
        }
    })

  const encoders = {
    gzip: zlib.gzipSync,
    'x-gzip': zlib.gzipSync,
    deflate: zlib.deflateSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
  } as const
  for (const [coding, encode] of Object.entries(encoders))
    test(`does not leak it in compressed responses, which are unchanged without it (${coding})`, async () => {
      for (const path of ['/v1/chat/completions', '/v1/files', '/v1/other'])
        for (const isStream of [false, true]) {
          const send = (says: (call: Parameters<typeof known>[0]) => string, status = 200) => {
            provider.answer = (call, res) => {
              res.writeHead(status, {
                'content-type': isStream ? 'text/event-stream' : 'application/json',
                'content-encoding': coding,
              })
              res.end(encode(Buffer.from(says(call))))
            }
          }
          const asked = { model: 'openai', stream: isStream, messages: [] }
          for (const status of [200, 401]) {
            send(
              (call) =>
                `${isStream ? 'data: ' : ''}${JSON.stringify({ ...completion, id: known(call) })}\n\n`,
              status,
            )
            const { bytes, headers } = await raw(path, asked, { 'accept-encoding': coding })
            const plain = headers['content-encoding'] === undefined ? bytes : decoded(bytes)
            assertHidden(path, plain.toString())
          }
          if (isStream) continue
          const body = JSON.stringify(completion)
          send(() => body)
          const { bytes, headers } = await raw(path, asked, { 'accept-encoding': coding })
          if (path === '/v1/chat/completions') continue
          assert.equal(headers['content-encoding'], coding)
          assert.deepEqual(bytes, encode(Buffer.from(body)))
        }
    })

  test('does not leak it in an unknown encoding', async () => {
    provider.answer = (call, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'rot13' })
      res.end(known(call))
    }
    const { statusCode, bytes } = await raw('/v1/files', { model: 'any' })
    assert.equal(statusCode, 502)
    assertHidden('rot13', bytes.toString())
  })

  test('does not leak it in JSON escapes, percent-encoding, base64 or shortened', async () => {
    for (const model of ['openai', 'odd']) {
      const key = model === 'odd' ? ODD_KEY : KEY
      for (const spelled of [
        JSON.stringify(key),
        JSON.stringify(key).replaceAll('/', '\\/'),
        `"${encodeURIComponent(key)}"`,
        `"${Buffer.from(`Bearer ${key}`).toString('base64')}"`,
        `"${Buffer.from(`x:${key}`).toString('base64url')}"`,
        ...(model === 'odd' ? [] : [`"${key.slice(0, 26)}..."`]),
      ]) {
        const body = `{"error":{"message":"no","type":"x","code":${spelled}}}`
        for (const path of ['/v1/chat/completions', '/v1/files'])
          if (path === '/v1/chat/completions' || model === 'openai') {
            provider.answer = { status: 400, headers: { 'content-type': 'application/json' }, body }
            const { bytes } = await raw(path, { model, messages: [] })
            assert.match(bytes.toString(), /\*{20}/, `${spelled} ${bytes.toString()}`)
            assert.equal(bytes.toString().includes(spelled), false)
          }
      }
    }
  })

  test('does not leak it in trailers', async () => {
    provider.answer = (call, res) => {
      res.writeHead(200, { 'content-type': 'application/octet-stream', trailer: 'x-said' })
      res.write('a')
      res.addTrailers({ 'x-said': call.headers.authorization ?? '' })
      res.end()
    }
    const answer = await raw('/v1/files', { model: 'any' }, { te: 'trailers' })
    assert.match(answer.trailers['x-said'] ?? '', /^Bearer \*{33}$/)
  })

  test('does not leak it in the log, in traces or in metrics', async () => {
    const { hostname, port } = new URL(daemon.url('admin'))
    const watching = request({
      hostname,
      port,
      path: '/debug/trace?follow=true&bodies=true',
      agent: false,
    }).end()
    const [stream] = (await once(watching, 'response')) as [IncomingMessage]
    let trace = ''
    let wake = (): void => undefined
    stream.setEncoding('utf8').on('data', (text: string) => {
      trace += text
      wake()
    })
    for (const model of ownModels) {
      provider.answer = (call, res) => {
        res.writeHead(401, { 'content-type': 'application/json', 'x-said': call.rawHeaders.join(' ') })
        res.end(errorsFor(completions, known(call)))
      }
      await callModel(daemon.url('default'), completions, model)
    }
    await raw('/the-last-one', undefined)
    while (!trace.includes('the-last-one'))
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    await daemon.printed(/the-last-one/)
    watching.destroy()
    const bodies = [...trace.matchAll(/"body":"([^"]*)"/g)].map(([, body = '']) =>
      Buffer.from(body, 'base64').toString(),
    )
    assertHidden('trace', trace + bodies.join('\n'))
    await daemon.printed(/Incorrect API key/)
    assertHidden('log', daemon.output())
    assertHidden('metrics', await (await fetch(`${daemon.url('stats')}/metrics`)).text())
  })

  test('does not leak it in AWS event frames, which keep valid checksums', async () => {
    provider.answer = (call, res) => {
      const frames = Buffer.concat([
        awsFrame('messageStart', { role: 'assistant' }),
        awsFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: known(call) } }),
        awsFrame('messageStop', { stopReason: 'end_turn' }),
      ])
      void trickle(res, frames, 11, 'application/vnd.amazon.eventstream')
    }
    const { bytes } = await raw('/model/signed/converse-stream', {
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
    })
    assertHidden('frames', bytes.toString('latin1'))
    const codec = new EventStreamCodec(
      (some) => Buffer.from(some as Uint8Array).toString(),
      (text) => Buffer.from(text),
    )
    let count = 0
    for (let at = 0; at < bytes.length; count++) {
      const end = at + bytes.readUInt32BE(at)
      codec.decode(bytes.subarray(at, end))
      at = end
    }
    assert.equal(count, 3)
  })

  test("may repeat the client's own key if that is forwarded", async () => {
    provider.answer = (call, res) => {
      res.writeHead(401, { 'content-type': 'application/json' })
      res.end(errorsFor(completions, known(call)))
    }
    const headers = { authorization: 'Bearer my-own-key-0123456789' }
    const { text } = await callModel(daemon.url('default'), completions, 'passing', { headers })
    assert.match(text, /my-own-key-0123456789/)
  })
})

/** Writes a response with chunk boundaries at any position. */
const trickle = async (
  res: ServerResponse,
  body: string | Buffer,
  size: number,
  type = 'text/event-stream',
): Promise<void> => {
  const bytes = Buffer.from(body)
  res.writeHead(200, { 'content-type': type })
  for (let at = 0; at < bytes.length; at += size)
    await new Promise<void>((resolve) => {
      res.write(bytes.subarray(at, at + size), () => {
        resolve()
      })
    })
  res.end()
}

const decoded = (bytes: Buffer): Buffer => {
  for (const decode of [
    zlib.gunzipSync,
    zlib.inflateSync,
    zlib.zstdDecompressSync,
    zlib.brotliDecompressSync,
  ])
    try {
      return decode(bytes)
    } catch {
      // Another one, then.
    }
  throw new Error('encoded in some other way')
}

suite('a provider that repeats the key in a realtime session', () => {
  const http = createServer()
  const server = new WebSocketServer({ server: http })
  let daemon: Daemon
  before(async () => {
    server.on('connection', (socket, { headers }) => {
      socket.on('message', (data: Buffer) => {
        socket.send(
          JSON.stringify({ type: 'error', error: { message: `Bad key ${headers.authorization ?? ''}` } }),
        )
        socket.send(Buffer.alloc(70_000, 1))
        socket.send(JSON.stringify({ type: 'echo', echo: data.toString() }))
      })
    })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const { port } = http.address() as AddressInfo
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { address: 127.0.0.1, port: 0 } }
llm:
  models:
    - { name: spoken, provider: openai, params: { model: gpt-realtime, apiKey: ${KEY}, baseUrl: 'http://127.0.0.1:${String(port)}/v1' } }
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    server.close()
    http.close()
  })

  test('does not leak it, and both sides close normally', async () => {
    const socket = new WebSocket(`${daemon.url('default').replace('http', 'ws')}/v1/realtime?model=spoken`)
    await once(socket, 'open')
    const said: Buffer[] = []
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        said.push(data)
        if (said.length === 3) resolve()
      })
    })
    socket.send('hello')
    await all
    socket.close()
    await once(socket, 'close')
    assert.equal(
      said[0]?.toString(),
      `{"type":"error","error":{"message":"Bad key Bearer ${'*'.repeat(KEY.length)}"}}`,
    )
    assert.deepEqual(said[1], Buffer.alloc(70_000, 1))
    assert.equal(said[2]?.toString(), '{"type":"echo","echo":"hello"}')
  })
})
