import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type WebSocket as ServerSocket, WebSocket, WebSocketServer } from 'ws'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  FORBIDDEN,
  type GuardServices,
  MASKED,
  SECRET,
  startGuardServices,
} from '../../support/llm/guard-services.ts'
import {
  blocked,
  delta,
  done,
  doneBlocked,
  userItem,
} from '../../operators/llm/guardrails/realtime/toy-conversation.ts'

/** A provider that replies as the test tells it to. */
class Provider {
  readonly http = createServer((_, res) => res.end('no conversation'))
  readonly server = new WebSocketServer({ server: this.http, perMessageDeflate: true })
  readonly heard: unknown[] = []
  readonly extensions: unknown[] = []
  /** Replies to an event. */
  answer: (event: unknown) => readonly unknown[] = () => []

  async listen(): Promise<number> {
    this.server.on('connection', (socket: ServerSocket, request) => {
      this.extensions.push(request.headers['sec-websocket-extensions'])
      socket.on('message', (data: Buffer) => {
        const event = JSON.parse(data.toString()) as unknown
        this.heard.push(event)
        for (const said of this.answer(event)) socket.send(JSON.stringify(said))
      })
    })
    this.http.listen(0, '127.0.0.1')
    await once(this.http, 'listening')
    return (this.http.address() as AddressInfo).port
  }

  close(): void {
    this.server.close()
    this.http.close()
  }
}

/** A webhook that allows everything, and records its requests. */
class Hook {
  readonly heads: IncomingHttpHeaders[] = []
  readonly http = createServer((req, res) => {
    this.heads.push(req.headers)
    req.resume().on('end', () => res.end('{"action":{}}'))
  })

  async listen(): Promise<string> {
    this.http.listen(0, '127.0.0.1')
    await once(this.http, 'listening')
    return `127.0.0.1:${(this.http.address() as AddressInfo).port}`
  }

  close(): void {
    this.http.closeAllConnections()
    this.http.close()
  }
}

const configuration = (port: number, host: string, hook: string) => `${anyPorts}  logging: { format: json }
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  gateways: [default]
  models:
${Object.entries({
  regex: `
        streaming: Enabled
        request: [&regex { regex: { action: mask, rules: [{ builtin: email }] } }, &no { regex: { action: reject, rules: [{ pattern: ${FORBIDDEN} }] }, rejection: { body: never } }]
        response: [*regex, *no]`,
  webhook: `
        streaming: { mode: Enabled, windowBytes: 64, overlapBytes: 16 }
        request: [&hook { webhook: { target: { host: "${host}" }  } }]
        response: [*hook]`,
  telling: `
        streaming: Enabled
        request: [&telling { webhook: { target: { host: "${hook}" }, headers: { x-path: request.path, x-key: 'request.headers["authorization"]' }, forwardHeaderMatches: [{ name: authorization, value: { regex: '.*' } }] } }]
        response: [*telling]`,
  away: `
        streaming: Enabled
        request: [&away { webhook: { target: { host: "127.0.0.1:1" } } }]
        response: [*away]`,
  opens: `
        streaming: Enabled
        request: [&opens { webhook: { target: { host: "127.0.0.1:1" }, failureMode: failOpen } }]
        response: [*opens]`,
  held: `
        response: [*no]`,
  asked: `
        streaming: Disabled
        request: [*no]`,
  unchecked: `
        streaming: Disabled
        response: [*no]`,
})
  .map(
    ([name, guardrails]) => `    - name: ${name}
      provider: openai
      params: { model: gpt-realtime, apiKey: sk-of-the-provider, baseUrl: 'http://127.0.0.1:${port}/v1' }
      guardrails: ${guardrails}
`,
  )
  .join('')}`

describe('a guarded realtime session', () => {
  const provider = new Provider()
  const hook = new Hook()
  let services: GuardServices
  let daemon: Daemon
  const sockets: WebSocket[] = []

  /** Opens a session; `next` waits for the given number of events. */
  const open = async (model: string) => {
    const socket = new WebSocket(
      `${daemon.url('default').replace('http', 'ws')}/v1/realtime?model=${model}`,
      {
        headers: { authorization: 'Bearer sk-of-the-client' },
      },
    )
    sockets.push(socket)
    const got: unknown[] = []
    let wake: () => void = () => undefined
    socket.on('message', (data: Buffer) => {
      got.push(JSON.parse(data.toString()))
      wake()
    })
    await once(socket, 'open')
    const next = async (count: number): Promise<unknown[]> => {
      while (got.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return got.splice(0, count)
    }
    return { socket, next, say: (event: unknown) => socket.send(JSON.stringify(event)) }
  }

  before(async () => {
    services = await startGuardServices()
    daemon = await startDaemon(configuration(await provider.listen(), services.host, await hook.listen()))
  })

  beforeEach(() => {
    provider.heard.length = 0
    provider.answer = () => [{ type: 'session.updated' }]
  })

  after(async () => {
    for (const socket of sockets) socket.terminate()
    await daemon[Symbol.asyncDispose]()
    await services[Symbol.asyncDispose]()
    provider.close()
    hook.close()
  })

  it('is masked and blocked by patterns in both directions, and its usage is logged', async () => {
    const { socket, next, say } = await open('regex')
    say(userItem('I am ann@example.com'))
    assert.deepEqual(await next(1), [{ type: 'session.updated' }])
    say(userItem(`say ${FORBIDDEN}`))
    assert.deepEqual(await next(1), [blocked('never')])
    assert.deepEqual(provider.heard, [userItem('I am <EMAIL_ADDRESS>')])
    assert.deepEqual(provider.extensions, [undefined])

    provider.answer = () => [delta('write to bob@'), delta('example.com'), done('write to bob@example.com')]
    say({ type: 'response.create' })
    const [first, second, last] = (await next(3)) as [{ delta: string }, { delta: string }, object]
    assert.equal(first.delta + second.delta, 'write to <EMAIL_ADDRESS>')
    assert.deepEqual(last, done('write to <EMAIL_ADDRESS>'))

    const [half, rest] = [FORBIDDEN.slice(0, 5), FORBIDDEN.slice(5)]
    provider.answer = (event) =>
      (event as { type: string }).type === 'response.create'
        ? [delta(half, 'resp_2'), delta(`${rest} and`, 'resp_2'), delta(' so on', 'resp_2')]
        : [delta('more', 'resp_2'), done(`${FORBIDDEN} and so on`, 'resp_2')]
    say({ type: 'response.create' })
    assert.deepEqual(await next(2), [blocked('never'), doneBlocked('resp_2')])
    assert.deepEqual(provider.heard.at(-1), { type: 'response.cancel' })

    socket.close(1000)
    const [code] = (await once(socket, 'close')) as [number]
    assert.equal(code, 1000)
    const [line] = await daemon.printed(/\{[^\n]*"gen_ai.usage.input_tokens"[^\n]*\}/)
    assert.equal((JSON.parse(line) as Record<string, unknown>)['gen_ai.usage.input_tokens'], 2)
  })

  it('is masked and blocked by a webhook', async () => {
    const { next, say } = await open('webhook')
    services.asked.length = 0
    say(userItem(`a ${SECRET}`))
    await next(1)
    assert.deepEqual(provider.heard, [userItem(`a ${MASKED}`)])
    say(userItem(FORBIDDEN))
    assert.deepEqual(await next(1), [blocked('no')])
    provider.answer = () => [delta('the '), delta(SECRET), done(`the ${SECRET}`)]
    say({ type: 'response.create' })
    const [first, second, last] = (await next(3)) as [{ delta: string }, { delta: string }, object]
    assert.equal(first.delta + second.delta, `the ${MASKED}`)
    assert.deepEqual(last, done(`the ${MASKED}`))
    provider.answer = () => [delta(FORBIDDEN, 'resp_2'), done(FORBIDDEN, 'resp_2')]
    say({ type: 'response.create' })
    assert.deepEqual(await next(2), [blocked('no'), doneBlocked('resp_2')])
    assert.deepEqual(
      services.asked.map(({ path }) => path),
      ['/request', '/request', '/response', '/response'],
    )
  })

  it("sends the client's headers to a webhook, without the key of the provider", async () => {
    const { next, say } = await open('telling')
    provider.answer = () => [delta('hello'), done('hello')]
    say(userItem('hello'))
    await next(2)
    assert.deepEqual(
      hook.heads.map((head) => [head['x-path'], head['x-key'], head.authorization]),
      [
        ['/v1/realtime', 'Bearer sk-of-the-client', 'Bearer sk-of-the-client'],
        ['/v1/realtime', 'Bearer sk-of-the-client', undefined],
      ],
    )
  })

  it('forwards nothing while its webhook is down', async () => {
    const { next, say } = await open('away')
    say(userItem('hello'))
    assert.deepEqual(await next(1), [blocked('Content blocked by guardrail policy')])
    assert.deepEqual(provider.heard, [])
    provider.answer = () => [delta('hello'), done('hello')]
    say({ type: 'response.create' })
    assert.deepEqual(await next(2), [blocked('Content blocked by guardrail policy'), doneBlocked()])
  })

  it('forwards everything while its webhook is down and may fail open', async () => {
    const { next, say } = await open('opens')
    provider.answer = () => [delta('hello'), done('hello')]
    say(userItem('hello'))
    assert.deepEqual(await next(2), [delta('hello'), done('hello')])
    assert.deepEqual(provider.heard, [userItem('hello')])
  })

  it('is closed with 1003 on binary messages', async () => {
    const { socket } = await open('regex')
    socket.send(Buffer.from('sound'))
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
    assert.deepEqual([code, reason.toString()], [1003, 'binary messages cannot be guarded'])
  })

  it('closes the other side when one side breaks', async () => {
    const begun = once(provider.server, 'connection') as Promise<[ServerSocket]>
    const first = await open('regex')
    const [one] = await begun
    first.socket.terminate()
    await once(one, 'close')
    const again = once(provider.server, 'connection') as Promise<[ServerSocket]>
    const second = await open('regex')
    const [other] = await again
    other.terminate()
    const [code] = (await once(second.socket, 'close')) as [number]
    assert.equal(code, 1006)
  })

  it('ends with the close code of its provider after pending events have passed the guard', async () => {
    const begun = once(provider.server, 'connection') as Promise<[ServerSocket]>
    const { socket, next } = await open('webhook')
    const [upstream] = await begun
    upstream.send(JSON.stringify(delta(`the ${SECRET}`)))
    upstream.close(1008, 'enough')
    const closed = once(socket, 'close') as Promise<[number, Buffer]>
    assert.deepEqual(await next(1), [delta(`the ${MASKED}`)])
    const [code, reason] = await closed
    assert.deepEqual([code, reason.toString()], [1008, 'enough'])
  })

  it('is refused unless streaming is Enabled or Disabled', async () => {
    const upgrade = async (model: string) => {
      const socket = new WebSocket(
        `${daemon.url('default').replace('http', 'ws')}/v1/realtime?model=${model}`,
      )
      socket.on('error', () => undefined)
      sockets.push(socket)
      const [, { statusCode }] = (await once(socket, 'unexpected-response')) as [
        unknown,
        { statusCode: number },
      ]
      return statusCode
    }
    assert.deepEqual([await upgrade('held'), await upgrade('asked')], [403, 403])
    const { next, say } = await open('unchecked')
    provider.answer = () => [delta(FORBIDDEN)]
    say(userItem('hello'))
    assert.deepEqual(await next(1), [delta(FORBIDDEN)])
  })

  it('is refused if its media would bypass the gateway', async () => {
    const { status, text } = await sendRequest(daemon.url('default'), '/v1/realtime?model=regex', {
      method: 'POST',
      headers: { 'content-type': 'application/sdp' },
      body: 'v=0',
    })
    assert.equal(status, 403)
    assert.match(text, /takes only requests that guards can read/)
  })
})
