import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { buffer } from 'node:stream/consumers'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { httpServer, type UpstreamServer } from '../../support/upstream-servers.ts'
import { type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'

const configuration = (host: string, slow: number) => `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - { name: 'whisper*', provider: openAI, params: { hostOverride: "${host}", apiKey: of-whisper } }
    - { name: slow, provider: openAI, params: { hostOverride: "127.0.0.1:${slow}" } }
    - { name: tts-1, provider: openAI, params: { hostOverride: "${host}", apiKey: of-speech, model: tts-1-hd } }
    - { name: '*', provider: openAI, params: { hostOverride: "${host}", apiKey: of-all } }
`

const hash = (bytes: Buffer | undefined) =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')

const field = (name: string, value: string) =>
  `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const upload = (before: string, file: Buffer, after: string) =>
  Buffer.concat([
    Buffer.from(`${before}--xx\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`),
    file,
    Buffer.from(`\r\n${after}--xx--\r\n`),
  ])

const form = { 'content-type': 'multipart/form-data; boundary=xx' }

suite('passthrough', () => {
  let daemon: Daemon
  let origin: string
  let provider: RecordingProvider
  let slow: UpstreamServer
  let arrive: () => void
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  before(async () => {
    slow = await httpServer((req, res) => {
      req.once('data', arrive)
      req.on('end', () => res.end())
    })
    provider = await startProvider({
      headers: { 'content-type': 'x/y', 'x-said': '1' },
      body: Buffer.from([0, 255, 1]),
    })
    daemon = await startDaemon(configuration(provider.host, slow.port))
    origin = daemon.url('default')
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await slow[Symbol.asyncDispose]()
  })

  const passed = async (path: string, asked: RequestParts) => {
    provider.calls.length = 0
    const answer = await sendRequest(origin, path, { method: 'POST', ...asked })
    const [call] = provider.calls
    assert.ok(call, answer.text)
    return { answer, call }
  }

  for (const [name, body, key] of [
    ['before the file', upload(field('model', 'whisper-1'), Buffer.from('RIFF'), ''), 'of-whisper'],
    ['behind the file', upload('', Buffer.from('RIFF'), field('model', 'whisper-1')), 'of-whisper'],
    ['nowhere', upload('', Buffer.from('RIFF'), ''), 'of-all'],
    ['of another kind', upload(field('model', 'gpt-4o-transcribe'), Buffer.from('RIFF'), ''), 'of-all'],
  ] as const)
    test(`uses the model of a form: ${name}`, async () => {
      const { call } = await passed('/v1/audio/transcriptions', { headers: form, body })
      assert.equal(call.headers.authorization, `Bearer ${key}`)
      assert.equal(call.path, '/v1/audio/transcriptions')
      assert.equal(hash(call.bytes), hash(body))
    })

  test('uses the model of JSON, and returns bytes unchanged', async () => {
    const body = '{"input":"Say it.", "model":"tts-1" }'
    const { call, answer } = await passed('/v1/audio/speech', {
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(call.headers.authorization, 'Bearer of-speech')
    assert.equal(call.bytes.toString(), body.replace('tts-1', 'tts-1-hd'))
    assert.equal(answer.headers['x-said'], '1')
    assert.equal(answer.headers['content-type'], 'x/y')
  })

  for (const [method, path, body] of [
    ['GET', '/v1/files?purpose=batch&limit=3', undefined],
    ['GET', '/v1/files/file-1/content', undefined],
    ['DELETE', '/v1/files/file-1', undefined],
    ['POST', '/v1/batches', '{"input_file_id":"file-1","endpoint":"/v1/chat/completions"}'],
    ['POST', '/v1/batches/b/cancel', ''],
    ['GET', '/v1/videos/v', undefined],
    ['POST', '/v1/moderations', '{"input":"hi"}'],
    ['GET', '/v1/responses/resp_1', undefined],
  ] as const)
    test(`uses the provider of all models if none is named: ${method} ${path}`, async () => {
      const headers = { 'content-type': 'application/json' }
      const { call } = await passed(path, { method, ...(body !== undefined && { body, headers }) })
      assert.equal(call.method, method)
      assert.equal(call.path, path)
      assert.equal(call.bytes.toString(), body ?? '')
      assert.equal(call.headers.authorization, 'Bearer of-all')
    })

  test('streams 30 MB in both directions without buffering', async () => {
    const file = randomBytes(30 * 1024 * 1024)
    const body = upload(field('model', 'whisper-1'), file, '')
    const { call } = await passed('/v1/audio/transcriptions', { headers: form, body })
    assert.equal(call.headers.authorization, 'Bearer of-whisper')
    assert.equal(call.headers['content-length'], String(body.length))
    assert.equal(hash(call.bytes), hash(body))
    const said = provider.answer
    provider.answer = { headers: { 'content-type': 'audio/wav' }, body: file }
    const got = await new Promise<Buffer>((resolve, reject) => {
      const { hostname, port } = new URL(origin)
      const req = request({ hostname, port, path: '/v1/files/f/content', agent: false }, (res) => {
        buffer(res).then(resolve, reject)
      })
      req.on('error', reject)
      req.end()
    })
    provider.answer = said
    assert.equal(hash(got), hash(file))
  })

  test('forwards the beginning before the client has sent everything', async () => {
    const { hostname, port } = new URL(origin)
    const headers = { ...form, connection: 'close' }
    const path = '/v1/audio/transcriptions'
    const req = request({ hostname, port, method: 'POST', path, headers, agent: false })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      req.on('response', (res) => {
        res.resume()
        resolve(res.statusCode)
      })
      req.on('error', reject)
    })
    // More than the inspected part. The rest follows once the provider has received some of it.
    req.write(upload(field('model', 'slow'), Buffer.alloc(3_000_000, 'x'), '').subarray(0, -10))
    await arrived
    req.end('\r\n--xx--\r\n')
    assert.equal(await answered, 200)
  })

  test(
    'does not grow the memory of the process',
    { skip: process.platform !== 'linux' && 'needs Linux' },
    async () => {
      const rss = () =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))?.[1]) / 1024
      const before = rss()
      const body = upload(field('model', 'whisper-1'), Buffer.alloc(100 * 1024 * 1024, 'x'), '')
      const { call } = await passed('/v1/audio/transcriptions', { headers: form, body })
      assert.equal(call.bytes.length, body.length)
      assert.ok(rss() - before < 80, `${before} MB, then ${rss()} MB`)
    },
  )
})
