import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { progressOn } from '../../support/mcp/messages.ts'
import { respondEvents, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { content, type ToyHandler, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const ask = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const sampling = ask(1, 'sampling/createMessage', { messages: [], maxTokens: 1 })
const form = ask(2, 'elicitation/create', { message: 'who?', requestedSchema: { type: 'object' } })
const page = ask(3, 'elicitation/create', {
  mode: 'url',
  message: 'go',
  url: 'https://a.test',
  elicitationId: 'e',
})

const failed = { error: { code: -32_603, message: 'no model' } }
const wrong = { error: { code: -32_602, message: 'bad arguments' } }
const sorry = { result: { ...content('no model'), isError: true } }
const done = { result: content('done without') }

const accepted = { action: 'accept', content: {} }

suite('servers with sessions that need a capability that a client without sessions lacks', () => {
  let toy: ToyServer
  let gateway: McpRoutes
  /** The pending ids of each session, and how its call continues. */
  const waiting = new Map<string, { readonly ids: Set<unknown>; readonly end: () => void }>()
  const sessionOf = ({ headers }: ScriptedRequest): string => String(headers['mcp-session-id'])

  const asking =
    (
      questions: readonly ReturnType<typeof ask>[],
      outcome: object,
      before: readonly object[] = [],
    ): ToyHandler =>
    (request, response) => {
      respondEvents(response, ...before, ...questions)
      const end = (): void => {
        respondEvents(response, { jsonrpc: '2.0', id: request.body.id, ...outcome })
        response.end()
      }
      waiting.set(sessionOf(request), { ids: new Set(questions.map(({ id }) => id)), end })
    }

  const handlers: Readonly<Record<string, ToyHandler>> = {
    fails: asking([sampling], failed),
    regrets: asking([sampling], sorry),
    copes: asking([sampling], done),
    refuses: asking([sampling], wrong),
    many: asking([form, sampling, page], failed),
    works: (request, response) => {
      const { progressToken } = (request.body.params as { _meta: { progressToken: unknown } })._meta
      asking([sampling], failed, [progressOn(progressToken)])(request, response)
    },
    POST: (request, response) => {
      response.writeHead(202).end()
      const { ids, end } = waiting.get(sessionOf(request))!
      ids.delete(request.body.id)
      if (ids.size === 0) end()
    },
  }

  before(async () => {
    toy = await startToy({ tools: Object.keys(handlers), handlers: handlers })
    gateway = await startMcpRoutes({ one: { targets: [httpTarget('a', toy.url)] } })
  })
  after(async () => {
    for (const one of [gateway, toy]) await one[Symbol.asyncDispose]()
  })

  for (const name of ['fails', 'regrets'])
    test(`fail the call with missing capabilities, and the session continues: ${name}`, async () => {
      const client = gateway.client('one')
      // Sessions are kept for clients that stay on a connection.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const answers = toy.requestsOf('POST').length
      const told = await client.requestModern('tools/call', { name }, {}, { agent })
      assert.deepEqual([told.status, told.response?.error?.code], [400, -32_021], told.text)
      assert.deepEqual(told.response?.error?.data, { requiredCapabilities: { sampling: {} } })
      const [heard] = toy.requestsOf('POST').slice(answers)
      assert.deepEqual([heard?.body.id, (heard?.body.error as { code: number }).code], [1, -32_601])
      // No part of the call is left to cancel: its session serves the next one.
      const handshakes = toy.requestsOf('initialize').length
      const next = await client.requestModern('tools/call', { name: 'copes' }, {}, { agent })
      assert.deepEqual(next.response?.result, { resultType: 'complete', ...done.result })
      assert.equal(toy.requestsOf('initialize').length, handshakes)
      assert.equal(toy.requestsOf('notifications/cancelled').length, 0)
      agent.destroy()
    })

  test('can return other errors unchanged', async () => {
    const told = await gateway.client('one').requestModern('tools/call', { name: 'refuses' })
    assert.deepEqual(told.response?.error, wrong.error)
  })

  test('end a stream that has begun with the error', async () => {
    const params = { name: 'works', _meta: { progressToken: 'mine' } }
    const told = await gateway.client('one').requestModern('tools/call', params)
    assert.deepEqual([told.status, told.messages.length], [200, 2], told.text)
    assert.equal(told.response?.error?.code, -32_021)
  })

  test('get the requests the client supports, before it gets all missing capabilities', async () => {
    const client = gateway.client('one')
    const first = await client.requestModern('tools/call', { name: 'many' }, { elicitation: {} })
    const { inputRequests, requestState } = first.response?.result as {
      readonly inputRequests: Readonly<Record<string, { readonly method: string }>>
      readonly requestState: string
    }
    const keys = Object.keys(inputRequests)
    assert.deepEqual(keys, ['elicitation-1'])
    const inputResponses = Object.fromEntries(keys.map((key) => [key, accepted]))
    const retry = { name: 'many', requestState, inputResponses }
    const told = await client.requestModern('tools/call', retry, { elicitation: {} })
    assert.deepEqual([told.status, told.response?.error?.code], [400, -32_021], told.text)
    const all = await client.requestModern('tools/call', { name: 'many' })
    for (const [{ response: answer }, lacking] of [
      [told, { sampling: {}, elicitation: { url: {} } }],
      [all, { sampling: {}, elicitation: { form: {}, url: {} } }],
    ] as const)
      assert.deepEqual(answer?.error?.data, { requiredCapabilities: lacking })
  })
})
