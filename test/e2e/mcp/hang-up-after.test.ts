import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Event, McpStream } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { logLine } from '../../support/mcp/messages.ts'
import { respondEvents, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

/** A call that the server has not responded to yet. */
interface Held {
  readonly request: ScriptedRequest
  readonly response: ServerResponse
}

suite('hangUpAfter', { concurrency: true }, () => {
  let toy: ToyServer
  let gateway: McpRoutes
  /** By tool name; most tools are called once. */
  const held = new Map<string, Held>()
  before(async () => {
    const tools = ['sdk', 'silent', 'gone', 'deleted', 'older', 'modern', 'stateless', 'cancelled', 'timer']
    const hold =
      (name: string) =>
      (request: ScriptedRequest, response: ServerResponse): void => {
        if (name !== 'silent' && name !== 'sdk') respondEvents(response, logLine('begun'))
        held.set(name, { request, response })
      }
    toy = await startToy({ tools, handlers: Object.fromEntries(tools.map((name) => [name, hold(name)])) })
    const targets = [httpTarget('toy', toy.url)]
    gateway = await startMcpRoutes({
      some: { targets, mcp: { hangUpAfter: '200ms' } },
      stateless: { targets, mcp: { hangUpAfter: '200ms', statefulMode: 'stateless' } },
    })
  })
  after(async () => {
    for (const one of [gateway, toy]) await one[Symbol.asyncDispose]()
  })
  const call = (name: string) => ({ jsonrpc: '2.0', id: 70, method: 'tools/call', params: { name } })
  const comes = async (name: string): Promise<Held> => {
    await toy.nextRequestOf(name)
    return held.get(name) as Held
  }
  const finish = ({ request, response }: Held): void => {
    respondEvents(response, { jsonrpc: '2.0', id: request.body.id, result: content('done') })
    response.end()
  }
  /** All events of a stream until it ends. */
  const events = async (stream: McpStream): Promise<Event[]> => {
    const all: Event[] = []
    for (let event = await stream.next(); event; event = await stream.next()) all.push(event)
    return all
  }
  /** Waits until the stream of a later request is closed. */
  const whileAnotherIsHungUp = async (): Promise<void> => {
    const client = gateway.client('some')
    await client.open()
    const seen = await events(await client.stream(call('timer')))
    assert.equal(seen.at(-1)?.message, undefined)
    await client.send(undefined, { method: 'DELETE' })
  }

  test('lets the official client receive all messages once, before, between and after reconnections', async () => {
    /** The event ids that it resumed from. */
    const resumed: string[] = []
    const transport = new StreamableHTTPClientTransport(new URL(gateway.url('some')), {
      fetch: async (url, init) => {
        const from = new Headers(init?.headers).get('last-event-id')
        if (from !== null) {
          resumed.push(from)
          // Sent while the client is disconnected, and right after it has reconnected.
          if (resumed.length === 2) progress(2)
        }
        return fetch(url, init)
      },
    })
    const client = new Client({ name: 'patient', version: '1' })
    const heard: number[] = []
    const progress = (at: number): void => {
      const { request, response } = held.get('sdk') as Held
      const { progressToken } = (request.body.params as { _meta: { progressToken: unknown } })._meta
      respondEvents(response, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: at },
      })
    }
    await client.connect(transport)
    try {
      const answer = client.callTool({ name: 'sdk' }, undefined, {
        onprogress: (told) => heard.push(told.progress),
      })
      const call = await comes('sdk')
      progress(1)
      await until(() => resumed.length >= 4)
      progress(3)
      await until(() => heard.length >= 3)
      // And once more without a message, so that the position has to be kept.
      const times = resumed.length
      await until(() => resumed.length >= times + 2)
      progress(4)
      await until(() => heard.length >= 4)
      finish(call)
      assert.deepEqual((await answer).content, [{ type: 'text', text: 'done' }])
      assert.deepEqual(heard, [1, 2, 3, 4])
      assert.equal(toy.requestsOf('sdk').length, 1)
    } finally {
      await transport.terminateSession()
      await client.close()
    }
  })

  test('lets clients fetch a reply of a server that has sent nothing yet', async () => {
    const client = gateway.client('some')
    await client.open()
    const first = await client.stream(call('silent'))
    const [only, ...more] = await events(first)
    assert.deepEqual(more, [])
    assert.match(first.text, /^id: \S+\/0\nretry: 100\ndata: \n\n$/)
    finish(await comes('silent'))
    const rest = await (await client.listen({ 'last-event-id': only?.id ?? '' })).whole()
    assert.equal(rest.response?.id, 70)
  })

  test('lets clients cancel a request while they are disconnected', async () => {
    const client = gateway.client('some')
    await client.open()
    const seen = await events(await client.stream(call('cancelled')))
    const { request } = await comes('cancelled')
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 70 } })
    await request.gone
    const { response: answer } = await (
      await client.listen({ 'last-event-id': seen.at(-1)?.id ?? '' })
    ).whole()
    assert.equal(answer, undefined)
  })

  test('cancels pending requests when their session ends', async () => {
    const client = gateway.client('some')
    await client.open()
    await events(await client.stream(call('deleted')))
    const { request } = await comes('deleted')
    await client.send(undefined, { method: 'DELETE' })
    await request.gone
  })

  test('cancels a request if its client does not reconnect within half a minute', async () => {
    const client = gateway.client('some')
    await client.open()
    const seen = await events(await client.stream(call('gone')))
    const { request } = await comes('gone')
    await request.gone
    const { response: answer } = await (
      await client.listen({ 'last-event-id': seen.at(-1)?.id ?? '' })
    ).whole()
    assert.match(answer?.error?.message ?? '', /is not kept any more/)
  })

  const holding: readonly (readonly [name: string, who: string, ask: () => Promise<McpStream>])[] = [
    [
      'older',
      'a client of an older revision',
      async () => {
        const client = gateway.client('some')
        await client.open({}, '2025-06-18')
        return client.stream(call('older'))
      },
    ],
    [
      'modern',
      'a client without a handshake',
      () => gateway.client('some').streamModern('tools/call', { name: 'modern' }),
    ],
    [
      'stateless',
      'a client without a session',
      () => gateway.client('stateless', { 'mcp-protocol-version': '2025-11-25' }).stream(call('stateless')),
    ],
  ]
  for (const [name, who, ask] of holding)
    test(`keeps the stream open for ${who}, which cannot resume`, async () => {
      const stream = await ask()
      const call = await comes(name)
      await whileAnotherIsHungUp()
      finish(call)
      const { text, response: answer } = await stream.whole()
      assert.doesNotMatch(text, /^(id|retry):/m)
      assert.deepEqual(answer?.result?.content, content('done').content)
    })
})

test('hangUpAfter does not close streams during shutdown, as clients could not reconnect', async () => {
  let finish = (): void => undefined
  await using toy = await startToy({
    tools: ['slow'],
    handlers: {
      slow: ({ body }, response) => {
        respondEvents(response, logLine('begun'))
        finish = () => {
          respondEvents(response, { jsonrpc: '2.0', id: body.id, result: content('done') })
          response.end()
        }
      },
    },
  })
  const targets = [httpTarget('toy', toy.url)]
  await using gateway = await startMcpRoutes(
    { some: { targets, mcp: { hangUpAfter: '4s' } } },
    { connectionTerminationDeadline: '120s' },
  )
  const client = gateway.client('some')
  await client.open()
  const began = performance.now()
  const stream = await client.stream({
    jsonrpc: '2.0',
    id: 70,
    method: 'tools/call',
    params: { name: 'slow' },
  })
  await stream.message()
  const exit = gateway.daemon.stop('SIGTERM')
  await gateway.daemon.printed(/draining/)
  await until(() => performance.now() - began > 5_000)
  finish()
  const { response: answer } = await stream.whole()
  assert.deepEqual(answer?.result?.content, content('done').content)
  assert.equal(await exit, 0)
})
