import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { McpMessage } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { respondEvents, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { content, startToy, streamed, type ToyServer } from '../../support/mcp/toy-server.ts'

const notification = (method: string, params: object) => ({ jsonrpc: '2.0', method, params })

const question = {
  jsonrpc: '2.0',
  id: 1,
  method: 'elicitation/create',
  params: { message: 'who?', requestedSchema: { type: 'object', properties: {} } },
}
const givenUp = notification('notifications/cancelled', { requestId: 1, reason: 'too late' })

/** Notifications of a server about a call, with unknown fields. */
const said = [
  notification('notifications/message', {
    level: 'warning',
    logger: 'disk',
    data: { free: 0.1 },
    _meta: { 'example.com/a': 1 },
    later: true,
  }),
  notification('notifications/elicitation/complete', { elicitationId: 'e-1' }),
  notification('notifications/example/own', { x: [null] }),
]
const result = {
  ...content('done'),
  structuredContent: { n: 1 },
  _meta: { 'example.com/b': { deep: true } },
  future: 'kept',
}

suite('notifications and server requests', () => {
  let one: ToyServer
  let other: ToyServer
  let gateway: McpRoutes
  /** Calls whose server request is not cancelled yet. */
  const open: (readonly [ScriptedRequest, ServerResponse])[] = []
  /** GET streams by their session. */
  const streams = new Map<string, ServerResponse>()
  before(async () => {
    one = await startToy({
      tools: ['talk', 'ask', 'impatient'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      handlers: {
        talk: (request, response) => {
          streamed(request, response, said, result)
        },
        ask: (request, response) => {
          respondEvents(response, question)
          open.push([request, response])
        },
        impatient: (request, response) => {
          streamed(request, response, [question, givenUp], content('gave up'))
        },
        'logging/setLevel': (request, response) => {
          streamed(request, response, [], {})
        },
        GET: ({ headers }, response) => {
          respondEvents(response)
          streams.set(String(headers['mcp-session-id']), response)
        },
      },
    })
    other = await startToy({ tools: ['idle'], capabilities: { tools: {}, logging: {} } })
    const targets = [httpTarget('a', one.url), httpTarget('b', other.url)]
    gateway = await startMcpRoutes({ one: { targets: [httpTarget('a', one.url)] }, two: { targets } })
  })
  after(async () => {
    for (const it of [gateway, one, other]) await it[Symbol.asyncDispose]()
  })

  const capabilities = { elicitation: {}, roots: { listChanged: true } }
  const call = (name: string, id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
  const isQuestion = (message: McpMessage): boolean => 'id' in message && 'method' in message
  const giveUp = ([{ body }, response]: (typeof open)[number]): void => {
    respondEvents(response, givenUp, { jsonrpc: '2.0', id: body.id, result: content('gave up') })
    response.end()
  }

  for (const [route, prefix] of [
    ['one', ''],
    ['two', 'a_'],
  ] as const)
    test(`keep all fields of a server's notifications and results: ${route}`, async () => {
      const client = gateway.client(route)
      await client.open({ capabilities })
      const told = await client.send(call(`${prefix}talk`, 5))
      assert.deepEqual(told.messages.slice(0, -1), said)
      assert.deepEqual(told.response?.result, result)
      const modern = await client.requestModern(
        'tools/call',
        { name: `${prefix}talk`, _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
        {},
        { without: ['mcp-session-id'] },
      )
      assert.deepEqual(modern.messages.slice(0, -1), said)
      assert.deepEqual(modern.response?.result, { resultType: 'complete', ...result })
    })

  for (const [route, prefix, id] of [
    ['one', '', 1],
    ['two', 'a_', 'agw_a_n_1'],
  ] as const)
    test(`can be cancelled by the server, under the id that the client knows: ${route}`, async () => {
      const client = gateway.client(route)
      await client.open({ capabilities })
      const stream = await client.stream(call(`${prefix}ask`, 6))
      const asked = await stream.message(isQuestion)
      assert.equal(asked.id, id)
      giveUp(open.pop()!)
      const told = await stream.whole()
      assert.deepEqual(told.messages.find(({ method }) => method === 'notifications/cancelled')?.params, {
        requestId: id,
        reason: 'too late',
      })
      assert.deepEqual(told.response?.result, content('gave up'))
    })

  test('need no reply from a 2026-07-28 client after they were cancelled', async () => {
    const client = gateway.client('two')
    const first = await client.requestModern('tools/call', { name: 'a_ask' }, capabilities)
    const { requestState, inputRequests } = first.response?.result as {
      requestState: string
      inputRequests: Readonly<Record<string, unknown>>
    }
    giveUp(open.pop()!)
    const answers = one.requestsOf('POST').length
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: {} }]),
    )
    const retry = { name: 'a_ask', requestState, inputResponses }
    const last = await client.requestModern('tools/call', retry, capabilities)
    assert.deepEqual(last.response?.result, { resultType: 'complete', ...content('gave up') })
    assert.equal(one.requestsOf('POST').length, answers)
    // A request that is cancelled early enough is not sent at all.
    const hasty = await client.requestModern('tools/call', { name: 'a_impatient' }, capabilities)
    assert.deepEqual(hasty.messages, [hasty.response])
    assert.deepEqual(hasty.response?.result, { resultType: 'complete', ...content('gave up') })
  })

  test('of a client to all are sent to every server', async () => {
    const client = gateway.client('two')
    await client.open({ capabilities })
    const level = await client.request('logging/setLevel', { level: 'error' })
    assert.deepEqual(level.response?.result, {})
    for (const server of [one, other]) {
      const heard = server.requestsOf('logging/setLevel').at(-1)
      assert.deepEqual(heard?.body.params, { level: 'error' })
    }
    const counts = [one, other].map((server) => server.requestsOf('notifications/roots/list_changed').length)
    for (const method of ['notifications/roots/list_changed', 'notifications/example/of-a-client'])
      await client.send(notification(method, { _meta: { 'example.com/c': 3 } }))
    for (const [i, server] of [one, other].entries()) {
      const { body } = await server.nextRequestOf('notifications/roots/list_changed', counts[i]! + 1)
      assert.deepEqual(body.params, { _meta: { 'example.com/c': 3 } })
      await server.nextRequestOf('notifications/example/of-a-client')
    }
  })

  test('of a server outside of calls arrive on the GET stream', async () => {
    const client = gateway.client('one')
    await client.open({ capabilities })
    const session = [...one.sessions].at(-1) ?? ''
    const stream = await client.listen()
    await until(() => streams.has(session))
    respondEvents(streams.get(session)!, ...said)
    const heard: McpMessage[] = []
    for (const _ of said) heard.push(await stream.message())
    assert.deepEqual(heard, said)
    stream.leave()
  })
})
