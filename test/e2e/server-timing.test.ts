import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** How long upstreams delay their responses. */
const WAIT_MS = 400

/** By how much timers and clocks may be early. */
const EARLY_MS = 10

const routes = (upstream: Upstream) => `
routes:
  - matches: [{ path: { exact: /direct } }]
    policies: { directResponse: { status: 200, body: here } }
  - matches: [{ path: { exact: /flaky } }]
    policies: { retry: { attempts: 1, codes: [503] } }
    backends: [{ host: "${upstream.host}" }]
  - matches: [{ path: { exact: /slow } }]
    backends: [{ host: "${upstream.host}" }]
`

const configuration = (upstream: Upstream) => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
frontendPolicies:
  http: { serverTiming: true }
${routes(upstream)}
llm:
  models:
    - { name: own, provider: mock }
    - name: theirs
      provider: { custom: { formats: [{ type: messages }] } }
      params: { baseUrl: "http://${upstream.host}/late" }
    - name: begun
      provider: { custom: { formats: [{ type: completions }] } }
      params: { baseUrl: "http://${upstream.host}/begun", firstTokenTimeout: 10s }
`

const message = {
  ...{
    id: 'a',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
  },
  content: [{ type: 'text', text: 'hi' }],
  usage: { input_tokens: 1, output_tokens: 1 },
}

type Headers = IncomingHttpHeaders | Awaited<ReturnType<typeof sendRequest>>['headers']

/** The entries of a response, and how long it took. */
type Timed = Readonly<Record<string, number>> & { readonly took: number }

const timed = async (asking: () => Promise<Headers>): Promise<Timed> => {
  const began = performance.now()
  const headers = await asking()
  return { ...timing(headers), took: performance.now() - began }
}

/** The entries of the field in milliseconds; the last entry of a name counts. */
const timing = (headers: Headers) =>
  Object.fromEntries(
    [...String(headers['server-timing']).matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => [
      name,
      Number(ms),
    ]),
  ) as Record<string, number>

suite('server-timing', () => {
  let upstream: Upstream
  let daemon: Daemon
  let flaky = 0
  /** The time of all exchanges apart from waiting. */
  let spentMs = 0

  before(async () => {
    upstream = await startUpstream((req, res) => {
      req.resume()
      const later = (act: () => void) => setTimeout(act, WAIT_MS)
      if (req.url === '/slow') later(() => res.writeHead(200, { 'server-timing': 'db;dur=53' }).end('ok'))
      else if (req.url === '/flaky') later(() => res.writeHead(flaky++ ? 200 : 503).end())
      else {
        const isStream = req.url?.startsWith('/begun')
        res.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
        res.flushHeaders()
        const chunk = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null }] })}\n\n`
        later(() => res.end(isStream ? `${chunk}data: [DONE]\n\n` : JSON.stringify(message)))
      }
    })
    daemon = await startDaemon(configuration(upstream))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const chat = async (model: string, content: string, more: object = {}) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }], ...more })
    const all = await timed(async () => {
      const { status, headers } = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
        method: 'POST',
        body,
      })
      assert.equal(status, 200)
      return headers
    })
    spentMs += all.took - WAIT_MS + EARLY_MS
    return all
  }
  const assertWaited = ({ gateway, upstream: waited, took }: Timed, atLeastMs = WAIT_MS) => {
    assert.ok(waited !== undefined && waited >= atLeastMs - EARLY_MS, `waited ${String(waited)} ms`)
    // No time is counted twice, however slow the machine is.
    const isApart = gateway !== undefined && gateway > 0 && gateway + waited <= took + EARLY_MS
    assert.ok(isApart, `${String(gateway)} ms and ${String(waited)} ms of ${String(took)} ms`)
  }

  test('separates the time of the gateway from that of the upstream, whose own entries are kept', async () => {
    const all = await timed(async () => (await sendRequest(daemon.url('default'), '/slow')).headers)
    assertWaited(all)
    assert.equal(all.db, 53)
  })

  test('is sent over HTTP/2 as well', async () => {
    const client = connect(daemon.url('default'))
    const all = await timed(async () => {
      const stream = client.request({ ':path': '/slow' })
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
      stream.resume()
      await once(stream, 'close')
      return headers
    })
    client.close()
    assertWaited(all)
  })

  test('includes failed calls in the time of upstreams', async () => {
    const all = await timed(async () => (await sendRequest(daemon.url('default'), '/flaky')).headers)
    assertWaited(all, 2 * WAIT_MS)
  })

  test('has no upstream entry if none was called', async () => {
    const { headers } = await sendRequest(daemon.url('default'), '/direct')
    assert.match(String(headers['server-timing']), /^gateway;dur=\d+\.\d{3}$/)
  })

  test('counts the time of a model as upstream time, translated or streamed', async () => {
    assertWaited(await chat('own', `mock:delay ${String(WAIT_MS)}ms`))
    // Translated: the head of the reply waits for the end of the provider's response.
    assertWaited(await chat('theirs', 'hi'))
    // The head of a stream waits for its first token if there is a timeout for it.
    assertWaited(await chat('begun', 'hi', { stream: true }))
  })

  test('agrees with the processing times in the metrics', async () => {
    await chat('theirs', 'hi')
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    for (const phase of ['request', 'response']) {
      const sum = new RegExp(
        `^agentgateway_${phase}_processing_seconds_sum\\{[^}]*internal/llm:request[^}]*\\} (.+)$`,
        'm',
      )
      const seconds = Number(sum.exec(text)?.[1])
      assert.ok(seconds > 0 && seconds * 1000 < spentMs, `${phase}: ${String(seconds)} s, ${spentMs} ms`)
    }
  })

  test('is off by default', async () => {
    await using quiet = await startDaemon(
      `${anyPorts}\ngateways:\n  default: { port: 0, address: 127.0.0.1 }\n${routes(upstream)}`,
    )
    assert.equal((await sendRequest(quiet.url('default'), '/direct')).headers['server-timing'], undefined)
  })
})
