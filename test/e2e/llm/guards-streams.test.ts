import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { text as textOf } from 'node:stream/consumers'
import { llmStreamViolations } from '../../../src/testing/index.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyLag } from '../../support/any-lag.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { awsFrame } from '../../support/llm/aws-frame.ts'
import { chunk, completion, ending } from '../../support/llm/completions-stream.ts'
import { besideNeighbour } from '../../support/llm/beside-neighbour.ts'
import { playTranscript } from '../../support/llm/play-transcript.ts'
import { jsonResponse, type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'
import { until } from '../../support/stream-body.ts'
import { listening, type UpstreamServer } from '../../support/upstream-servers.ts'

const SECRET = 'secret-word'
/** An unused port that no other program will take. */
const NOBODY = 1

/** A webhook controlled by the test. */
interface Hook extends UpstreamServer {
  answer: (res: ServerResponse, body: string, req: IncomingMessage) => void
}

const pass = (res: ServerResponse) => res.end('{"action":{}}')

const startHook = async (): Promise<Hook> => {
  const hook: Pick<Hook, 'answer'> = { answer: pass }
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    textOf(req).then(
      (body) => hook.answer(res, body, req),
      () => res.destroy(),
    )
  })
  return Object.assign(hook, await listening(server))
}

const configuration = (provider: string, hook: number) => {
  const regex = (action: string, pattern: string) => ({
    regex: { action, rules: [{ pattern }] },
    rejection: { body: 'no' },
  })
  const webhook = (port: number, more: object = {}) => ({
    webhook: { target: { host: `127.0.0.1:${String(port)}` }, ...more },
  })
  const formats = ['completions', 'messages', 'responses']
  const at = (folder: string) => ({
    provider: { custom: { formats: formats.map((type) => ({ type })) } },
    params: { baseUrl: `http://${provider}/${folder}/v1` },
  })
  const gemini = { provider: 'gemini', params: { baseUrl: `http://${provider}/gemini`, apiKey: 'k' } }
  const bedrock = {
    provider: 'bedrock',
    params: { baseUrl: `http://${provider}/bedrock`, awsRegion: 'eu-west-1' },
    auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
  }
  const masks = { response: [regex('mask', SECRET)], streaming: 'Enabled' }
  const rejects = { response: [regex('reject', 'me look')], streaming: 'Enabled' }
  const failing = (['failOpen', 'failClosed'] as const).flatMap((failureMode) =>
    (['Enabled', 'Buffer'] as const).flatMap((streaming) =>
      [
        ['down', webhook(NOBODY, { failureMode })] as const,
        ['asked', webhook(hook, { failureMode, timeout: '100ms' })] as const,
      ].map(([how, guard]) => ({
        name: `${how}-${failureMode}-${streaming}`,
        ...at('plain'),
        guardrails: { response: [guard], streaming },
      })),
    ),
  )
  const models = [
    { name: 'mock', provider: 'mock' },
    { name: 'plain', ...at('plain') },
    { name: 'masked', ...at('masked'), guardrails: masks },
    { name: 'masked-aws', ...bedrock, guardrails: masks },
    { name: 'rejecting', ...at('rejecting'), guardrails: rejects },
    { name: 'rejecting-gemini', ...gemini, guardrails: rejects },
    { name: 'windowed', ...at('plain'), guardrails: { response: [webhook(hook)], streaming: 'Enabled' } },
    { name: 'asking', ...at('plain'), guardrails: { request: [webhook(hook)] } },
    ...failing,
    { name: 'first', ...at('first'), guardrails: { request: [regex('mask', SECRET)] } },
    { name: 'second', ...at('second'), guardrails: { request: [regex('mask', SECRET)] } },
    { name: 'strict', ...at('first'), guardrails: { request: [regex('reject', SECRET)] } },
  ]
  const either = (name: string, ...of: string[]) => ({
    name,
    routing: { failover: { targets: of.map((model, priority) => ({ model, priority })) } },
  })
  const virtualModels = [either('either', 'first', 'second'), either('strictly', 'strict', 'second')]
  return `${anyPorts}${anyLag}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ gateways: ['default'], models, virtualModels })}
`
}

/** Writes bytes in pieces. */
const write = (res: ServerResponse, pieces: readonly (string | Uint8Array)[], ends = true) => {
  const next = (i: number): void => {
    const piece = pieces[i]
    if (piece !== undefined) res.write(piece, () => setImmediate(next, i + 1))
    else if (ends) res.end()
  }
  next(0)
}

const sse = (res: ServerResponse, pieces: readonly (string | Uint8Array)[], ends = true) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  write(res, pieces, ends)
}

/** Content events in order. */
const chunks = (...said: readonly string[]): string[] =>
  said.map((text, i) => (i ? chunk(text).replace('"role":"assistant",', '') : chunk(text)))

/** The content of a stream of Chat Completions. */
const saidIn = (text: string): string =>
  [...text.matchAll(/"content":("(?:\\.|[^"\\])*")/g)]
    .map(([, written = '']) => JSON.parse(written) as string)
    .join('')

const awsSays = (text: string) => awsFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })

suite('guarded streams', { concurrency: false }, () => {
  let hook: Hook
  let provider: RecordingProvider
  let daemon: Daemon
  let origin: string
  before(async () => {
    hook = await startHook()
    provider = await startProvider()
    daemon = await startDaemon(configuration(provider.host, hook.port))
    origin = daemon.url('default')
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await hook[Symbol.asyncDispose]()
  })

  const chat = (model: string, content = 'hi', stream = true) => {
    const { path, request: asked } = userMessage('completions', model, content, stream)
    return sendRequest(origin, path, asked)
  }

  for (const [model, stream] of [
    ['masked', chunks('It is sec', 'ret-wo', 'rd.').join('') + ending()],
    [
      'masked-aws',
      Buffer.concat([
        awsFrame('messageStart', { role: 'assistant' }),
        ...['It is sec', 'ret-wo', 'rd.'].map(awsSays),
        awsFrame('contentBlockStop', { contentBlockIndex: 0 }),
        awsFrame('messageStop', { stopReason: 'end_turn' }),
        awsFrame('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, metrics: {} }),
      ]),
    ],
  ] as const)
    test(`are masked alike wherever the response is split (${model})`, async () => {
      const all = Buffer.from(stream)
      provider.answer = ({ bytes }, res) => {
        const [from = 0, step = 1] = (/cut at (\d+) by (\d+)/.exec(bytes.toString()) ?? [])
          .slice(1)
          .map(Number)
        const type = model === 'masked' ? 'text/event-stream' : 'application/vnd.amazon.eventstream'
        res.writeHead(200, { 'content-type': type })
        const rest = Array.from({ length: Math.ceil((all.length - from) / step) }, (_, i) => from + i * step)
        write(res, [all.subarray(0, from), ...rest.map((at) => all.subarray(at, at + step))])
      }
      // Together these split after each of the bytes, with pieces of one byte, some, and many around it.
      const cuts = [1, 16, 96].flatMap((step) => Array.from({ length: step }, (_, from) => [from + 1, step]))
      const answers = await Promise.all(
        cuts.map(([from, step]) => chat(model, `cut at ${String(from)} by ${String(step)}`)),
      )
      for (const { text } of answers) {
        assert.equal(saidIn(text), 'It is <masked>.', text)
        assert.deepEqual(llmStreamViolations('completions', text), [])
        if (model === 'masked') assert.equal(text, answers[0]?.text)
      }
    })

  test('do not affect concurrent streams, to the byte', async () => {
    const events = (n: number) =>
      Array.from({ length: 20 }, (_, i) => chunk(`${SECRET} ${String(n)} ${String(i)} `).replace(':', ':  '))
    const odd = (n: number) => `: a comment\r\n\r\n${events(n).join('')}${ending()}`
    provider.answer = ({ bytes }, res) => {
      const n = Number(/number (\d+)/.exec(bytes.toString())?.[1])
      const all = Buffer.from(odd(n))
      const step = 97 + n
      sse(
        res,
        Array.from({ length: Math.ceil(all.length / step) }, (_, i) =>
          all.subarray(i * step, (i + 1) * step),
        ),
      )
    }
    const asked = (model: string, n: number) => {
      const body = JSON.stringify({
        model,
        messages: [{ role: 'user', content: `number ${String(n)}` }],
        stream: true,
        stream_options: { include_usage: true },
      })
      return sendRequest(origin, '/v1/chat/completions', { method: 'POST', body })
    }
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const { text } = await asked(n % 2 ? 'plain' : 'masked', n)
        if (n % 2) assert.equal(text, odd(n))
        else assert.equal(saidIn(text), saidIn(odd(n)).replaceAll(SECRET, '<masked>'))
      }),
    )
  })

  test('are inspected across the boundaries of windows', async () => {
    hook.answer = (res, body) => {
      const action = body.includes(SECRET) ? { body: 'no', status_code: 403 } : {}
      res.end(JSON.stringify({ action }))
    }
    for (const before of [1000, 1014, 1018, 1023, 1024, 2040]) {
      const said = `${'x'.repeat(before)}${SECRET}${'y'.repeat(1500)}`
      provider.answer = (_, res) => sse(res, [...chunks(...(said.match(/.{1,40}/g) ?? [])), ending()])
      const { text } = await chat('windowed')
      assert.ok(!saidIn(text).includes(SECRET), String(before))
      assert.match(text, /"message":"no"/)
      assert.deepEqual(llmStreamViolations('completions', text), [])
    }
    const said = 'z'.repeat(3000)
    provider.answer = (_, res) => sse(res, [...chunks(...(said.match(/.{1,40}/g) ?? [])), ending()])
    assert.equal(saidIn((await chat('windowed')).text), said)
  })

  for (const dialect of dialects)
    test(`end with an error in ${dialect} when they are blocked, and the provider stream is closed`, async () => {
      let closed: Promise<unknown> | undefined
      provider.answer = (call, res) => {
        closed = once(res, 'close')
        // All events are sent, but the response does not end.
        res.end = () => res
        playTranscript(call, res)
      }
      const model = dialect === 'generateContent' ? 'rejecting-gemini' : 'rejecting'
      const { path, request: asked } = userMessage(dialect, model, 'hi', true)
      const { status, text } = await besideNeighbour(origin, () => sendRequest(origin, path, asked))
      assert.equal(status, 200)
      assert.match(text, /"message": ?"no"/)
      assert.doesNotMatch(text, /look/)
      assert.deepEqual(llmStreamViolations(dialect, text), [])
      await closed
    })

  for (const [model, phase] of [
    ['asking', 'request'],
    ['windowed', 'response'],
  ] as const)
    test(`close all connections when the client leaves during a webhook call for the ${phase}`, async () => {
      const kept = { hook: hook.sockets.size, provider: provider.sockets.size }
      let hookClosed: Promise<unknown> | undefined
      let providerClosed: Promise<unknown> | undefined
      const asked = new Promise<void>((resolve) => {
        hook.answer = (res) => {
          hookClosed = once(res, 'close')
          resolve()
        }
      })
      provider.calls.length = 0
      provider.answer = (_, res) => {
        providerClosed = once(res, 'close')
        sse(res, [chunk('w'.repeat(2000))], false)
      }
      const { path, request: sent } = userMessage('completions', model, 'hi', true)
      const client = request(origin + path, { method: 'POST', agent: false })
      client.on('error', () => undefined)
      client.end(sent.body)
      await asked
      // A client that only half-closes may still read.
      client.socket?.resetAndDestroy()
      await hookClosed
      await providerClosed
      assert.equal(provider.calls.length, phase === 'request' ? 0 : 1)
      // Idle pooled connections stay.
      const isBack = () => hook.sockets.size <= kept.hook && provider.sockets.size <= kept.provider
      await until(isBack, 'the end of the connections')
      hook.answer = pass
      provider.answer = jsonResponse(completion('Hello.'))
      assert.equal((await chat(model, 'hi', false)).status, 200)
      let metrics = ''
      for (let i = 0; i < 5_000 && !/^agentgateway_exchanges_in_flight 0$/m.test(metrics); i++)
        metrics = (await sendRequest(daemon.url('stats'), '/metrics')).text
      assert.match(metrics, /^agentgateway_exchanges_in_flight 0$/m)
    })

  for (const [how, answer] of Object.entries<Hook['answer'] | undefined>({
    'is down': undefined,
    'says nothing': () => undefined,
    'talks nonsense': (res) => res.end('{"action":'),
    'says what it does not mean': (res) => res.end('{"action":{"body":"no"}}'),
    'breaks off': (res) => res.writeHead(200, { 'content-length': '50' }).write('{', () => res.destroy()),
    'has a fault': (res) => res.writeHead(500).end('{"action":{}}'),
    'sends elsewhere': (res) => res.writeHead(307, { location: '/request' }).end('{"action":{}}'),
  }))
    test(`follow the failure mode when a webhook ${how}`, async () => {
      if (answer) hook.answer = answer
      provider.answer = (_, res) => sse(res, [...chunks('Nobody may ', 'see this.'), ending()])
      const webhook = answer ? 'asked' : 'down'
      for (const streaming of ['Enabled', 'Buffer']) {
        const open = await chat(`${webhook}-failOpen-${streaming}`)
        assert.equal(saidIn(open.text), 'Nobody may see this.')
        const closed = await chat(`${webhook}-failClosed-${streaming}`)
        assert.equal(saidIn(closed.text), '')
        assert.match(closed.text, /"message":"Content blocked by guardrail policy"/)
        for (const { text } of [open, closed]) assert.deepEqual(llmStreamViolations('completions', text), [])
      }
    })

  test('are not retried elsewhere when a guard rejects the request', async () => {
    provider.calls.length = 0
    const { status, text } = await chat('strictly', `It is ${SECRET}.`)
    assert.deepEqual([status, text, provider.calls.length], [403, 'no', 0])
  })

  test('fail over with the masked request', async () => {
    provider.calls.length = 0
    provider.answer = ({ path }, res) => {
      if (path.startsWith('/first')) res.writeHead(503).end()
      else sse(res, [chunk('Hello.'), ending()])
    }
    assert.equal(saidIn((await chat('either', `It is ${SECRET}.`)).text), 'Hello.')
    assert.deepEqual(
      provider.calls.map(({ path, bytes }) => [path, /"content":"(.*?)"/.exec(bytes.toString())?.[1]]),
      [
        ['/first/v1/chat/completions', 'It is <masked>.'],
        ['/second/v1/chat/completions', 'It is <masked>.'],
      ],
    )
  })
})
