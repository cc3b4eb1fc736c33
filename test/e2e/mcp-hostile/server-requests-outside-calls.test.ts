import assert from 'node:assert/strict'
import { Agent, type ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { httpTarget, programTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { respondEvents, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { content, reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const curious = new URL('../../support/mcp/roots-program.ts', import.meta.url).pathname
const roots = { roots: {} }

interface Answer {
  readonly id: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

suite('servers with sessions that send requests outside of calls, with clients of 2026-07-28', () => {
  let toy: ToyServer
  let quiet: ToyServer
  let gateway: McpRoutes
  const streams: ServerResponse[] = []
  let heard: Answer[] = []
  let wake = (): void => undefined
  const answersOf = async (count: number): Promise<readonly Answer[]> => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve))
    return heard
  }
  const ask = (id: string, method = 'roots/list'): void => {
    const stream = streams.at(-1)
    assert.ok(stream)
    respondEvents(stream, { jsonrpc: '2.0', id, method })
  }
  before(async () => {
    toy = await startToy({
      tools: ['ask', 'fine'],
      handlers: {
        GET: (_, response) => {
          respondEvents(response)
          streams.push(response)
        },
        POST: ({ body }: ScriptedRequest, response) => {
          response.writeHead(202).end()
          heard.push(body as unknown as Answer)
          wake()
        },
        ask: (request, response) => {
          const from = heard.length
          ask('during')
          void answersOf(from + 1).then((all) => {
            reply(request, response, content(JSON.stringify(all.at(-1)?.result)))
          })
        },
      },
    })
    quiet = await startToy({ tools: ['fine'] })
    gateway = await startMcpRoutes({
      program: { targets: [programTarget('curious', '--conditions=agentgateway-source', curious)] },
      http: { targets: [httpTarget('toy', toy.url)] },
      quiet: { targets: [httpTarget('quiet', quiet.url)] },
    })
  })
  after(async () => {
    for (const stream of streams) stream.destroy()
    for (const one of [gateway, toy, quiet]) await one[Symbol.asyncDispose]()
  })
  /** Server sessions are bound to one connection. */
  const connected = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    return { agent, [Symbol.dispose]: () => agent.destroy() }
  }

  test('are refused at once over stdio, and later calls are unaffected', async () => {
    using one = connected()
    const client = gateway.client('program')
    const call = (name: string, args = {}) =>
      client.requestModern('tools/call', { name, arguments: args }, roots, one)
    // The client has the capability, but this request belongs to no call that could carry it.
    const listed = await client.requestModern('tools/list', {}, roots, one)
    assert.equal(listed.response?.result?.resultType, 'complete', listed.text)
    const first = answersIn(await call('answers', { count: 2 }))
    assert.deepEqual(
      first.map(({ id, error }) => [id, error?.code]),
      [
        ['q1', -32_601],
        ['q2', -32_601],
      ],
    )
    assert.match(first[0]?.error?.message ?? '', /^the client cannot be asked for roots\/list here/)
    await call('later')
    const [, , third, ping] = answersIn(await call('answers', { count: 4 }))
    assert.deepEqual([third?.id, third?.error?.code], ['q3', -32_601])
    assert.deepEqual([ping?.id, ping?.result], ['q4', {}])
    // Within a call the client receives the request.
    const asked = await call('during')
    assert.equal(asked.response?.result?.resultType, 'input_required', asked.text)
  })

  test('are refused at once over HTTP as well', async () => {
    heard = []
    using one = connected()
    const client = gateway.client('http')
    await client.requestModern('tools/list', {}, roots, one)
    await toy.nextRequestOf('GET')
    ask('idle')
    ask('there?', 'ping')
    const [idle, ping] = (await answersOf(2)).toSorted((a, b) => a.id.localeCompare(b.id))
    assert.deepEqual([idle?.id, idle?.error?.code], ['idle', -32_601])
    assert.deepEqual([ping?.id, ping?.result], ['there?', {}])
  })

  test('reach the client by a call in progress, if it can carry the request', async () => {
    heard = []
    using one = connected()
    const client = gateway.client('http')
    const from = toy.requestsOf('GET').length
    await client.requestModern('tools/list', {}, roots, one)
    await toy.nextRequestOf('GET', from + 1)
    const params = { name: 'ask', arguments: {} }
    const asked = await client.requestModern('tools/call', params, roots, one)
    const { requestState, inputRequests } = asked.response?.result ?? {}
    const [key = ''] = Object.keys(inputRequests ?? {})
    const inputResponses = { [key]: { roots: [{ uri: 'file:///here' }] } }
    const told = await client.requestModern(
      'tools/call',
      { ...params, requestState, inputResponses },
      roots,
      one,
    )
    assert.deepEqual(
      told.response?.result?.content,
      content(JSON.stringify({ roots: [{ uri: 'file:///here' }] })).content,
    )
  })

  test('without a GET stream are asked for it once', async () => {
    for (let i = 0; i < 3; i++) {
      const told = await gateway.client('quiet').requestModern('tools/call', { name: 'fine' }, roots)
      assert.deepEqual(told.response?.result?.content, content('fine done').content)
    }
    assert.equal(quiet.requestsOf('initialize').length, 3)
    assert.ok(quiet.requestsOf('GET').length < 3)
  })
})

const answersIn = ({ response }: { readonly response?: { readonly result?: unknown } | undefined }) => {
  const { content: said } = response?.result as { readonly content: readonly { readonly text: string }[] }
  return JSON.parse(said[0]?.text ?? '') as readonly Answer[]
}
