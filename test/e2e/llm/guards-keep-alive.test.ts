import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { buffer, text as textOf } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/index.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, daemonProgram, startDaemon } from '../../support/daemon.ts'
import { chunk, ending } from '../../support/llm/completions-stream.ts'
import { type RecordingProvider, startProvider } from '../../support/llm/recording-provider.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'
import { until } from '../../support/stream-body.ts'
import { listening, type UpstreamServer } from '../../support/upstream-servers.ts'

/** The idle limit of connections that do not wait for a guard; long enough for a machine that runs other tests. */
const IDLE_MS = 2_500
/** Timeouts of routes: long, and short but with time for some keep-alive comments. */
const PATIENCE = { '': '120s', '-brief': '10s' }
/** Enough text for a call to the webhook. */
const WINDOW = 'word '.repeat(205)
const COMMENT = ': keep-alive\n\n'

/** A webhook that does not respond until the test says so. */
interface Hook extends UpstreamServer {
  readonly thinking: ServerResponse[]
}

const startHook = async (): Promise<Hook> => {
  const thinking: ServerResponse[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void buffer(req).then(() => thinking.push(res))
  })
  return Object.assign(await listening(server), { thinking })
}

const configuration = (provider: string, hook: number) => {
  const webhook = { webhook: { target: { host: `127.0.0.1:${String(hook)}` } } }
  const guards = (streaming: string) => ({ response: [webhook], streaming })
  const idle = `${String(IDLE_MS)}ms`
  const formats = ['completions', 'messages', 'responses'].map((type) => ({ type }))
  const models = ['Enabled', 'Buffer'].flatMap((streaming) =>
    Object.entries({ '': { firstTokenTimeout: idle }, '-patient': {} }).map(([suffix, timeout]) => ({
      name: `${streaming}${suffix}`,
      provider: { custom: { formats: [{ type: 'completions' }] } },
      params: { baseUrl: `http://${provider}/v1`, ...timeout },
      guardrails: guards(streaming),
    })),
  )
  const routes = ['Enabled', 'Buffer'].flatMap((streaming) =>
    Object.entries(PATIENCE).map(([suffix, requestTimeout]) => ({
      name: `${streaming}${suffix}`,
      gateways: ['routed'],
      matches: [{ path: { pathPrefix: `/${streaming}${suffix}` } }],
      policies: {
        urlRewrite: { path: { prefix: '/' } },
        timeout: { requestTimeout },
        ai: { promptGuard: guards(streaming) },
      },
      backends: [{ ai: { name: streaming, hostOverride: provider, provider: { custom: { formats } } } }],
    })),
  )
  return `${anyPorts}  backend: { poolIdleTimeout: ${idle} }
frontendPolicies: { http: { http1IdleTimeout: ${idle} }, admission: { lag: 60s } }
gateways:
  default: { address: 127.0.0.1, port: 0 }
  routed: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ gateways: ['default'], models })}
routes: ${JSON.stringify(routes)}
`
}

const preload = new URL('../../support/advance-clock-preload.ts', import.meta.url).href

suite('a stream that a guard buffers', { concurrency: false }, () => {
  let hook: Hook
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    hook = await startHook()
    provider = await startProvider()
    daemon = await startDaemon(configuration(provider.host, hook.port), {
      program: [process.execPath, '--import', preload, daemonProgram],
    })
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
    await hook[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    hook.thinking.length = 0
  })

  const thinks = (windows = 1) => until(() => hook.thinking.length >= windows, 'a question to the webhook')
  const agrees = () => {
    for (const res of hook.thinking.splice(0)) res.end('{"action":{}}')
  }
  /** Advances the keep-alive timers of the daemon by 15 seconds. */
  const passes = () => daemon.child.kill('SIGUSR2')

  /** A reply whose received part can be read. */
  const begin = async (
    model: string,
    dialect: (typeof dialects)[number] = 'completions',
    gateway = 'default',
  ) => {
    const { path, request: asked } = userMessage(dialect, model, 'hi', true)
    const prefix = gateway === 'routed' ? `/${model}` : ''
    const req = request(daemon.url(gateway) + prefix + path, {
      method: 'POST',
      headers: asked.headers,
      agent: false,
    })
    req.end(asked.body)
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    assert.equal(res.statusCode, 200)
    const come = { text: '', isWhole: undefined as boolean | undefined }
    res.setEncoding('utf8').on('data', (piece: string) => (come.text += piece))
    res.on('error', () => undefined)
    const closed = new Promise<void>((resolve) => {
      res.once('close', () => {
        come.isWhole = res.complete
        resolve()
      })
    })
    return { come, closed }
  }

  /** The provider's response, which continues when the test says so. */
  const speaking = (): Promise<ServerResponse> =>
    new Promise((resolve) => {
      provider.answer = (_, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        resolve(res)
      }
    })

  /** Sends chunks for longer than the idle limit. */
  const goesOn = async (res: ServerResponse): Promise<string> => {
    let said = WINDOW
    res.write(chunk(WINDOW))
    for (const begun = performance.now(); performance.now() - begun < 1.5 * IDLE_MS;) {
      said += 'word '
      res.write(chunk('word '))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return said
  }

  for (const dialect of dialects)
    for (const model of ['Enabled', 'Buffer'])
      test(`sends keep-alive comments to its client while the guard is pending (${dialect}, ${model})`, async () => {
        const speaks = speaking()
        const begun = begin(`${model}-patient`, dialect)
        const provided = await speaks
        provided.end(chunk('Hello.') + ending())
        const { come, closed } = await begun
        await thinks()
        for (const times of [1, 2]) {
          passes()
          await until(() => comments(come.text) === times, 'a comment')
        }
        assert.doesNotMatch(come.text, /Hello/)
        agrees()
        await closed
        assert.equal(come.isWhole, true)
        assert.match(come.text, /Hello\./)
        assert.equal(comments(come.text), 2)
        assert.deepEqual(llmStreamViolations(dialect, come.text), [])
      })

  for (const model of ['Enabled', 'Buffer'])
    for (const gateway of ['default', 'routed'])
      test(`is not idle while the provider continues (${model}, ${gateway})`, async () => {
        const speaks = speaking()
        const begun = begin(model, 'completions', gateway)
        const provided = await speaks
        const said = await goesOn(provided)
        provided.end(ending())
        const { come } = await begun
        await thinks()
        assert.equal(saidIn(come.text), '')
        const isOver = () => come.isWhole !== undefined
        while (!isOver()) {
          agrees()
          await until(() => isOver() || hook.thinking.length > 0, 'another question, or the end')
        }
        assert.deepEqual([saidIn(come.text), come.isWhole], [said, true])
      })

  test('can be buffered for longer than the idle limits of both connections', async () => {
    const speaks = speaking()
    const begun = begin('Enabled')
    const provided = await speaks
    provided.write(chunk(WINDOW))
    const { come, closed } = await begun
    await thinks()
    await idle()
    agrees()
    await until(() => saidIn(come.text) === WINDOW, 'what was held')
    await idle()
    provided.end(chunk(', you.') + ending())
    await thinks()
    agrees()
    await closed
    assert.deepEqual([saidIn(come.text), come.isWhole], [`${WINDOW}, you.`, true])
  })

  test('can be buffered over HTTP/2 for as long', async () => {
    const speaks = speaking()
    const session = connectHttp2(daemon.url('default'))
    const { path, request: asked } = userMessage('completions', 'Enabled', 'hi', true)
    const stream = session.request({ ...asked.headers, ':method': 'POST', ':path': path })
    stream.end(asked.body)
    const told = textOf(stream)
    const provided = await speaks
    provided.end(chunk('Hello.') + ending())
    await thinks()
    await idle()
    agrees()
    assert.equal(saidIn(await told), 'Hello.')
    session.close()
    await once(session, 'close')
  })

  for (const model of ['Enabled', 'Buffer'])
    test(`times out if the provider sends nothing but comments before its first event (${model})`, async () => {
      const speaks = speaking()
      const { path, request: asked } = userMessage('completions', model, 'hi', true)
      const answered = sendRequest(daemon.url('default'), path, asked)
      const provided = await speaks
      const closed = once(provided, 'close')
      const alive = setInterval(() => provided.write(': processing\n\n'), 20)
      const { status, text } = await answered
      clearInterval(alive)
      assert.equal(status, 504, text)
      assert.match(text, /upstream call timeout/)
      await closed
      assert.equal(hook.thinking.length, 0)
    })

  for (const model of ['Enabled', 'Buffer'])
    test(`times out if the provider falls silent, despite comments to its client (${model})`, async () => {
      const speaks = speaking()
      const begun = begin(`${model}-brief`, 'completions', 'routed')
      const provided = await speaks
      const letGo = once(provided, 'close')
      provided.write(chunk(WINDOW))
      const { come, closed } = await begun
      if (model === 'Enabled') {
        await thinks()
        agrees()
        await until(() => saidIn(come.text) === WINDOW, 'what was cleared')
      }
      for (const times of [1, 2, 3]) {
        passes()
        await until(() => comments(come.text) === times, 'a comment')
      }
      await closed
      await letGo
      assert.equal(come.isWhole, false)
      assert.equal(saidIn(come.text), model === 'Enabled' ? WINDOW : '')
      await daemon.printed(new RegExp(`http\\.path=/${model}-brief/.*error="request timeout"`))
    })
})

/** The content of a stream of Chat Completions. */
const saidIn = (text: string): string =>
  [...text.matchAll(/"content":"([^"]*)"/g)].map(([, said = '']) => said).join('')

const comments = (text: string): number => text.split(COMMENT).length - 1

/** Longer than the idle limit. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 1.5 * IDLE_MS))
