import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const long = `${'a_long_name_'.repeat(8)}1`
const longer = `${'a_long_name_'.repeat(8)}2`
const odd = 'was für ein/Name? 💥'
const looksShort = 'x__0123456789abcdef'
const accepted = /^[A-Za-z0-9_./-]{1,64}$/

suite('tool names and rules', () => {
  let toy: ToyServer
  let second: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({ tools: ['same', 'mine', long, longer, odd, looksShort] })
    second = await startToy({ tools: ['same', 'yours'] })
    const two = [httpTarget('one', toy.url), httpTarget('two', second.url)]
    const rules = ['mcp.tool.name == "same" && mcp.tool.arguments.amount < 100 && mcp.tool.target == "one"']
    gateway = await startMcpRoutes({
      two: { targets: two },
      fresh: { targets: two },
      never: { targets: two, mcp: { prefixMode: 'never' } },
      always: { targets: [httpTarget('one', toy.url)], mcp: { prefixMode: 'always' } },
      ruled: { targets: two, policies: { mcpAuthorization: { rules } } },
      denied: {
        targets: two,
        policies: { mcpAuthorization: { rules: [{ deny: 'mcp.tool.name == "mine"' }, 'true'] } },
      },
    })
  })
  after(async () => {
    for (const one of [gateway, toy, second]) await one[Symbol.asyncDispose]()
  })
  const opened = async (route: string): Promise<McpCaller> => {
    const client = gateway.client(route)
    await client.open()
    return client
  }
  const listed = async (client: McpCaller): Promise<string[]> => {
    const told = await client.request('tools/list')
    return (told.response?.result?.tools as { name: string }[]).map(({ name }) => name)
  }

  test('prefixed names are valid for clients, and resolve to their servers', async () => {
    const client = await opened('two')
    const names = await listed(client)
    assert.equal(new Set(names).size, 8)
    for (const name of names) assert.match(name, accepted)
    const real = ['same', 'mine', long, longer, odd, looksShort]
    // A shortened name is resolved before tools were listed.
    const fresh = await opened('fresh')
    for (const [i, name] of names.slice(0, 6).entries())
      for (const caller of [fresh, client]) {
        const told = await caller.request('tools/call', { name })
        assert.equal(told.status, 200, told.text)
        assert.deepEqual(toy.requestsOf('tools/call').at(-1)?.body.params, { name: real[i] })
      }
    for (const name of ['one_none__0123456789abcdef', 'three_same', 'same', '_same', '', 'one']) {
      const told = await client.request('tools/call', { name })
      assert.deepEqual([told.status, told.response?.error?.message], [200, `Unknown tool: ${name}`])
    }
    assert.deepEqual((await listed(await opened('always'))).slice(0, 2), ['one_same', 'one_mine'])
  })

  test('unprefixed names that several servers share are not available, which is logged', async () => {
    const client = await opened('never')
    assert.deepEqual(await listed(client), ['mine', long, longer, odd, looksShort, 'yours'])
    assert.equal((await client.request('tools/call', { name: 'yours' })).status, 200)
    assert.deepEqual(second.requestsOf('tools/call').at(-1)?.body.params, { name: 'yours' })
    const both = await client.request('tools/call', { name: 'same' })
    assert.deepEqual([both.status, both.response?.error?.code], [200, -32_602])
    assert.match(both.response?.error?.message ?? '', /tool same is served by multiple targets/)
    const none = await client.request('tools/call', { name: 'one_mine' })
    assert.deepEqual([none.status, none.response?.error?.code], [200, -32_602])
    await listed(client)
    await gateway.daemon.printed(/several MCP servers use one name/)
    const lines = gateway.daemon.output().match(/several MCP servers use one name.*/g)
    assert.equal(lines?.length, 1)
    assert.match(lines[0], /kind=tool name=same targets=one,two/)
    const { text } = await sendRequest(gateway.daemon.url('admin'), '/config_dump')
    assert.equal(text.match(/"collisions": \[\s*"tool same"\s*\]/g)?.length, 2, text)
  })

  test('rules can read the arguments of a call', async () => {
    const client = await opened('ruled')
    const status = async (params: object): Promise<unknown> => {
      const told = await client.request('tools/call', params)
      return told.response?.error?.message ?? told.status
    }
    assert.equal(await status({ name: 'one_same', arguments: { amount: 5 } }), 200)
    for (const given of [{ amount: 100 }, { amount: '5' }, {}, { other: 1 }, { amount: null }])
      assert.equal(await status({ name: 'one_same', arguments: given }), 'Unknown tool: one_same')
    for (const params of [{ name: 'one_same' }, { name: 'one_same', arguments: 'x' }])
      assert.equal(await status(params), 'Unknown tool: one_same')
    assert.equal(await status({ name: 'two_same', arguments: { amount: 5 } }), 'Unknown tool: two_same')
    const modern = await client.requestModern(
      'tools/call',
      { name: 'one_same', arguments: { amount: 500 } },
      {},
      { without: ['mcp-session-id'] },
    )
    assert.equal(modern.response?.error?.message, 'Unknown tool: one_same')
  })

  test('denied tools are indistinguishable from unknown ones', async () => {
    const client = await opened('denied')
    assert.equal((await listed(client)).includes('one_mine'), false)
    const denied = await client.request('tools/call', { name: 'one_mine' })
    const missing = await client.request('tools/call', { name: 'three_mine' })
    const shown = (text: string): string =>
      text.replaceAll(/one_mine|three_mine/g, 'it').replaceAll(/"id":\d+/g, '')
    assert.equal(shown(denied.text), shown(missing.text))
    assert.deepEqual(
      [denied.status, denied.headers['content-type']],
      [missing.status, missing.headers['content-type']],
    )
  })
})
