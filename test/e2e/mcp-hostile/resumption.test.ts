import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { McpCaller, McpStream } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { logLine } from '../../support/mcp/messages.ts'
import { respondEvents, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const CHANGED = 'notifications/tools/list_changed'
const UPDATED = 'notifications/resources/updated'

suite('resumable replies and streams', () => {
  let toy: ToyServer
  let flaky: ToyServer
  let gateway: McpRoutes
  let isAway = false
  /** Pending calls and open streams. */
  const held: [ScriptedRequest, ServerResponse][] = []
  const streams = new Set<ServerResponse>()
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } }
  before(async () => {
    const hold = (request: ScriptedRequest, response: ServerResponse): void => {
      respondEvents(response, logLine('begun'))
      held.push([request, response])
    }
    const listen = (_: ScriptedRequest, response: ServerResponse): void => {
      streams.add(response)
      response.on('close', () => streams.delete(response))
      respondEvents(response)
    }
    toy = await startToy({
      capabilities,
      tools: ['hold'],
      handlers: {
        hold,
        GET: listen,
        'resources/subscribe': ({ body }, response) => {
          respondEvents(response, { jsonrpc: '2.0', id: body.id, result: {} })
          response.end()
        },
      },
    })
    flaky = await startToy({
      capabilities,
      tools: ['x'],
      handlers: {
        initialize: (request, response) => {
          if (isAway) response.destroy()
          else {
            response.writeHead(200, { 'content-type': 'application/json' }).end(
              JSON.stringify({
                jsonrpc: '2.0',
                id: request.body.id,
                result: {
                  protocolVersion: '2025-11-25',
                  capabilities,
                  serverInfo: { name: 'f', version: '1' },
                },
              }),
            )
          }
        },
        'server/discover': (_, response) => {
          if (isAway) response.destroy()
          else response.writeHead(400).end()
        },
      },
      hasSessions: false,
    })
    const one = [httpTarget('toy', toy.url)]
    gateway = await startMcpRoutes({
      one: { targets: one },
      ruled: {
        targets: one,
        policies: { mcpAuthorization: { rules: ['mcp.resource.name == "file:///mine"'] } },
      },
      flaky: { targets: [...one, httpTarget('flaky', flaky.url)], mcp: { failureMode: 'failOpen' } },
    })
  })
  after(async () => {
    for (const one of [gateway, toy, flaky]) await one[Symbol.asyncDispose]()
  })
  const begin = async (client: McpCaller, id: number): Promise<McpStream> => {
    const at = held.length
    const stream = await client.stream({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hold' } })
    await until(() => held.length > at)
    return stream
  }
  const finish = (text: string): void => {
    const [{ body }, response] = held.pop() as [ScriptedRequest, ServerResponse]
    respondEvents(response, logLine(text), { jsonrpc: '2.0', id: body.id, result: content(text) })
    response.end()
  }
  const lastId = async (stream: McpStream): Promise<string> => {
    for (;;) {
      const event = await stream.next()
      if (event?.message && event.id !== undefined) return event.id
    }
  }
  const opened = async (route = 'one'): Promise<McpCaller> => {
    const client = gateway.client(route)
    await client.open()
    return client
  }

  test('continue after Last-Event-ID, once or repeatedly', async () => {
    const client = await opened()
    const stream = await begin(client, 50)
    const first = await stream.next()
    assert.match(first?.id ?? '', /\/0$/)
    const seen = await lastId(stream)
    stream.leave()
    const back = await client.listen({ 'last-event-id': seen })
    assert.equal(back.status, 200)
    finish('rest')
    const told = await back.whole()
    assert.deepEqual(
      told.messages.map(({ id, method }) => id ?? method),
      ['notifications/message', 50],
    )
    // Only the client knows whether that arrived.
    const again = await (await client.listen({ 'last-event-id': seen })).whole()
    assert.equal(again.text, told.text)
    const all = await (await client.listen({ 'last-event-id': first?.id ?? '' })).whole()
    assert.equal(all.messages.length, 3)
  })

  test('move to the connection that resumed them last', async () => {
    const client = await opened()
    const stream = await begin(client, 51)
    const seen = await lastId(stream)
    const second = await client.listen({ 'last-event-id': seen })
    assert.equal((await stream.whole()).response, undefined)
    const third = await client.listen({ 'last-event-id': seen })
    assert.equal((await second.whole()).response, undefined)
    finish('third')
    assert.equal((await third.whole()).response?.id, 51)
  })

  test('cannot be resumed by another session, or with an unknown id', async () => {
    const client = await opened()
    const stream = await begin(client, 52)
    const seen = await lastId(stream)
    const other = await opened()
    const told = await (await other.listen({ 'last-event-id': seen })).whole()
    assert.equal(told.status, 200)
    assert.equal(told.response?.error?.code, -32_603)
    assert.match(told.response.error.message, /not kept any more/)
    for (const garbage of [
      'x',
      '1/0',
      '/',
      'a/b/c',
      `${seen}/1`.slice(0, 3),
      '💥',
      '-1/-1',
      `${'9'.repeat(400)}/1`,
    ]) {
      const refused = await (
        await other.listen({ 'last-event-id': Buffer.from(garbage).toString('latin1') })
      ).whole()
      assert.deepEqual([refused.status, refused.headers['content-type']], [400, 'text/plain'], garbage)
    }
    for (const count of ['-1', '1.5', 'NaN', '']) {
      const wrong = await (
        await client.listen({ 'last-event-id': seen.replace(/\/\d+$/, `/${count}`) })
      ).whole()
      assert.notEqual(wrong.response?.result !== undefined, true, count)
    }
    finish('mine')
    assert.equal((await stream.whole()).response?.id, 52)
  })

  test('cannot be resumed after a cancellation', async () => {
    const client = await opened()
    const stream = await begin(client, 53)
    const seen = await lastId(stream)
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 53 } })
    assert.equal((await stream.whole()).response, undefined)
    held.pop()
    const back = await (await client.listen({ 'last-event-id': seen })).whole()
    assert.equal(back.response?.result, undefined)
  })

  test('refuse a request id that is in use, which is free again afterwards', async () => {
    const client = await opened()
    for (const id of [7, 'seven', 0.5, -3, 'x'.repeat(5_000)]) {
      const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hold' } }
      const at = held.length
      const stream = await client.stream(body)
      await until(() => held.length > at)
      const twin = await client.send(body)
      assert.deepEqual([twin.status, twin.response?.error?.code, twin.response?.id], [200, -32_600, id])
      finish('once')
      assert.equal((await stream.whole()).response?.id, id)
      assert.equal((await client.send({ ...body, method: 'ping' })).status, 200)
    }
  })

  test('survive the loss of a server session, and report list changes', async () => {
    const client = await opened()
    const stream = await client.listen()
    await until(() => streams.size === 1)
    toy.sessions.clear()
    for (const one of streams) one.end()
    assert.equal((await stream.message()).method, CHANGED)
    await until(() => streams.size === 1)
    for (const one of streams)
      respondEvents(one, { jsonrpc: '2.0', method: UPDATED, params: { uri: 'file:///a' } })
    await stream.message(({ method }) => method === UPDATED)
    // The same if a request detects the loss.
    toy.sessions.clear()
    assert.equal((await client.request('tools/list')).status, 200)
    assert.equal((await stream.message()).method, CHANGED)
    stream.leave()
    await until(() => streams.size === 0)
  })

  test('report the lists of a server that has recovered, in both eras', async () => {
    isAway = true
    const client = await opened('flaky')
    const listed = async (): Promise<unknown> =>
      ((await client.request('tools/list')).response?.result?.tools as { name: string }[]).map(
        ({ name }) => name,
      )
    assert.deepEqual(await listed(), ['toy_hold'])
    const stream = await client.listen()
    const wanted = { notifications: { toolsListChanged: true } }
    const modern = await gateway.client('flaky').streamModern('subscriptions/listen', wanted)
    const acknowledged = await modern.message()
    assert.equal(acknowledged.method, 'notifications/subscriptions/acknowledged')
    isAway = false
    await stream.message(({ method }) => method === CHANGED)
    assert.deepEqual(await listed(), ['toy_hold', 'flaky_x'])
    await modern.message(({ method }) => method === CHANGED)
    stream.leave()
    modern.leave()
  })

  test('do not report resources that rules deny', async () => {
    const uris = ['file:///mine', 'file:///yours']
    const modern = await gateway
      .client('ruled')
      .streamModern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
    const { params } = await modern.message()
    assert.deepEqual(params?.notifications, { resourceSubscriptions: ['file:///mine'] })
    await toy.nextRequestOf('resources/subscribe')
    const subscribed = toy.requestsOf('resources/subscribe').map(({ body }) => body.params)
    assert.deepEqual(subscribed, [{ uri: 'file:///mine' }])
    modern.leave()
    await until(() => streams.size === 0)
  })
})
