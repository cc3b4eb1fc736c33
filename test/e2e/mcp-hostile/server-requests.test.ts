import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startInputToy } from '../../support/mcp/input-toy.ts'
import type { McpMessage, McpCaller, McpStream, McpResponse } from '../../support/mcp/mcp-caller.ts'
import { everythingTarget, httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import type { ToyServer } from '../../support/mcp/toy-server.ts'

const all = { elicitation: {}, sampling: {}, roots: {} }
const answers: Readonly<Record<string, object>> = {
  'elicitation/create': { action: 'accept', content: { name: 'ann' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
  'roots/list': { roots: [{ uri: 'file:///x' }] },
}

type Inputs = Readonly<Record<string, { readonly method: string }>>

suite('server requests to clients', () => {
  let toy: ToyServer
  let second: ToyServer
  let here: McpRoutes
  let there: McpRoutes
  before(async () => {
    toy = await startInputToy()
    second = await startInputToy()
    const apiKey = { mode: 'strict', keys: [{ key: 'key-of-ann' }, { key: 'key-of-eve' }] }
    const routes = {
      one: { targets: [httpTarget('a', toy.url)] },
      two: { targets: [httpTarget('a', toy.url), httpTarget('b', second.url)] },
      users: { targets: [httpTarget('a', toy.url)], policies: { apiKey } },
      stateless: { targets: [httpTarget('a', toy.url)], mcp: { statefulMode: 'stateless' } },
    }
    const config = { session: { key: '0123456789abcdef'.repeat(4) } }
    ;[here, there] = await Promise.all([startMcpRoutes(routes, config), startMcpRoutes(routes, config)])
  })
  after(async () => {
    for (const one of [here, there, toy, second]) await one[Symbol.asyncDispose]()
  })
  const begun = (client: McpCaller, name: string, id: number | string = 1): Promise<McpStream> =>
    client.stream({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, _meta: { progressToken: 'mine' } },
    })
  const said = (
    client: McpCaller,
    { id, method }: McpMessage,
    result = answers[method ?? ''],
  ): Promise<McpResponse> => client.send({ jsonrpc: '2.0', id, result })
  const textOf = (heard: McpMessage | undefined): unknown =>
    JSON.parse((heard?.result?.content as { text: string }[])[0]?.text ?? 'null')
  const isQuestion = (message: McpMessage): boolean => 'id' in message && 'method' in message
  const isEnd = (message: McpMessage): boolean => 'result' in message || 'error' in message
  const inputsOf = (told: McpResponse): Inputs => told.response?.result?.inputRequests as Inputs
  const responsesTo = (inputs: Inputs) =>
    Object.fromEntries(Object.entries(inputs).map(([name, { method }]) => [name, answers[method]]))

  test('from two servers with the same ids at the same time are answered separately', async () => {
    const client = here.client('two')
    await client.open({ capabilities: all })
    const [a, b] = await Promise.all([begun(client, 'a_elicit', 1), begun(client, 'b_sample', 2)])
    const [fromA, fromB] = await Promise.all([a.message(isQuestion), b.message(isQuestion)])
    assert.notEqual(fromA.id, fromB.id)
    assert.deepEqual([fromA.method, fromB.method], ['elicitation/create', 'sampling/createMessage'])
    // Replies with unknown ids are ignored.
    for (const id of ['agw_a_n_99', 'agw_a_s_1', 'agw_c_n_1', 'agw_a_n_01', 1, 'agw_', 'x'])
      assert.equal((await client.send({ jsonrpc: '2.0', id, result: {} })).status, 202)
    const { progressToken } = fromB.params?._meta as { readonly progressToken: string }
    await client.send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: 1 },
    })
    assert.deepEqual((await second.nextRequestOf('notifications/progress')).body.params, {
      progressToken: 'mine',
      progress: 1,
    })
    assert.equal(toy.requestsOf('notifications/progress').length, 0)
    await said(client, fromB)
    await said(client, fromA)
    assert.deepEqual(textOf(await a.message(isEnd)), [answers['elicitation/create']])
    assert.deepEqual(textOf(await b.message(isEnd)), [answers['sampling/createMessage']])
    assert.match(a.text, /"progressToken":"mine"/)
  })

  test('cannot be answered by another session', async () => {
    const client = here.client('one')
    await client.open({ capabilities: all })
    const other = here.client('one')
    await other.open({ capabilities: all })
    const stream = await begun(client, 'elicit')
    const question = await stream.message(isQuestion)
    await said(other, question, { action: 'accept', content: { name: 'eve' } })
    await said(client, question)
    assert.deepEqual(textOf(await stream.message(isEnd)), [answers['elicitation/create']])
  })

  test('are refused for a client without a session', async () => {
    const told = await here.client('stateless').request('tools/call', { name: 'elicit' })
    assert.equal(told.messages.some(isQuestion), false)
    assert.match(JSON.stringify(textOf(told.response)), /-32601/)
  })

  test('reach a client of 2026-07-28 as results, round by round', async () => {
    const client = here.client('one')
    const first = await client.requestModern('tools/call', { name: 'twice' }, all)
    assert.equal(first.response?.result?.resultType, 'input_required', first.text)
    const { requestState } = first.response.result
    const retry = { name: 'twice', requestState, inputResponses: responsesTo(inputsOf(first)) }
    const again = await client.requestModern('tools/call', retry, all)
    assert.equal(again.response?.result?.resultType, 'input_required')
    assert.notEqual(again.response.result.requestState, requestState)
    const last = await client.requestModern(
      'tools/call',
      {
        name: 'twice',
        requestState: again.response.result.requestState,
        inputResponses: responsesTo(inputsOf(again)),
      },
      all,
    )
    assert.equal(last.response?.result?.resultType, 'complete')
    assert.deepEqual(textOf(last.response), [answers['elicitation/create'], answers['elicitation/create']])
  })

  test('at the same time are answered together, and missing answers are requested again', async () => {
    const client = here.client('two')
    const first = await client.requestModern('tools/call', { name: 'b_all' }, all)
    const inputs = inputsOf(first)
    assert.deepEqual(
      Object.values(inputs)
        .map(({ method }) => method)
        .sort(),
      Object.keys(answers).sort(),
    )
    const [name = ''] = Object.keys(inputs)
    const some = { [name]: responsesTo(inputs)[name], nobody: {}, other: 5 }
    const more = await client.requestModern(
      'tools/call',
      { name: 'b_all', requestState: first.response?.result?.requestState, inputResponses: some },
      all,
    )
    const left = inputsOf(more)
    assert.deepEqual(Object.keys(left), Object.keys(inputs).slice(1))
    const { requestState } = more.response?.result ?? {}
    const last = await client.requestModern(
      'tools/call',
      { name: 'b_all', requestState, inputResponses: responsesTo(left) },
      all,
    )
    assert.equal((textOf(last.response) as unknown[]).length, 3)
  })

  test('have a request state that is valid once, for one request of one caller, on one replica', async () => {
    const ann = here.client('users', { authorization: 'Bearer key-of-ann' })
    const eve = here.client('users', { authorization: 'Bearer key-of-eve' })
    const elsewhere = there.client('users', { authorization: 'Bearer key-of-ann' })
    const first = await ann.requestModern('tools/call', { name: 'elicit', arguments: { a: 1 } }, all)
    const requestState = String(first.response?.result?.requestState)
    const inputResponses = responsesTo(inputsOf(first))
    const retry = { name: 'elicit', arguments: { a: 1 }, requestState, inputResponses }
    const refused = async (
      client: McpCaller,
      params: Record<string, unknown>,
      text: RegExp,
    ): Promise<void> => {
      const told = await client.requestModern('tools/call', params, all)
      assert.deepEqual([told.status, told.response?.error?.code], [400, -32_602], told.text)
      assert.match(told.response?.error?.message ?? '', text)
    }
    const invalid = /requestState is not valid for this request/
    await refused(eve, retry, invalid)
    await refused(ann, { ...retry, arguments: { a: 2 } }, invalid)
    await refused(ann, { ...retry, name: 'sample' }, invalid)
    await refused(ann, { ...retry, requestState: requestState.slice(0, -2) }, invalid)
    await refused(ann, { ...retry, requestState: 'forged' }, invalid)
    await refused(elsewhere, retry, /requestState belongs to replica \S+/)
    const told = await ann.requestModern('tools/call', retry, all)
    assert.deepEqual(textOf(told.response), [answers['elicitation/create']])
    await refused(ann, retry, /used up or too old/)
  })

  test('have a request state that is invalid for another server', async () => {
    const client = here.client('two')
    const first = await client.requestModern('tools/call', { name: 'a_elicit' }, all)
    const { requestState } = first.response?.result ?? {}
    const told = await client.requestModern('tools/call', { name: 'b_elicit', requestState }, all)
    assert.deepEqual([told.status, told.response?.error?.code], [400, -32_602])
  })

  test('are not sent to a client without the capability', async () => {
    const told = await here.client('one').requestModern('tools/call', { name: 'all' }, { roots: {} })
    const inputs = inputsOf(told)
    assert.deepEqual(
      Object.values(inputs).map(({ method }) => method),
      ['roots/list'],
    )
    const none = await here.client('one').requestModern('tools/call', { name: 'elicit' })
    assert.match(JSON.stringify(textOf(none.response)), /-32601/)
  })
})

suite('servers without sessions, with clients that have sessions', () => {
  test('can send as many input requests as they want', async () => {
    await using gateway = await startMcpRoutes({
      one: { targets: [everythingTarget('everything', 'modern')] },
    })
    const client = gateway.client('one')
    const begun = await client.open({ capabilities: all })
    assert.equal(begun.response?.result?.protocolVersion, '2025-11-25')
    const tools = (await client.request('tools/list')).response?.result?.tools as { name: string }[]
    const asking = tools.filter(({ name }) => /elicitation|sampling|roots|multi/i.test(name))
    assert.ok(asking.length > 0, JSON.stringify(tools.map(({ name }) => name)))
    let id = 100
    for (const { name } of asking) {
      const stream = await client.stream({
        jsonrpc: '2.0',
        id: ++id,
        method: 'tools/call',
        params: { name, arguments: { message: 'x', prompt: 'x' } },
      })
      for (;;) {
        const heard = await stream.message()
        if (heard.id === id && !heard.method) {
          assert.notEqual(heard.result?.resultType, 'input_required', name)
          break
        }
        if (heard.id !== undefined)
          await client.send({ jsonrpc: '2.0', id: heard.id, result: answers[heard.method ?? ''] ?? {} })
      }
    }
    await client.send(undefined, { method: 'DELETE' })
    await until(() => gateway.daemon.child.exitCode === null)
  })
})
