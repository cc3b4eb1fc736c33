import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const PAGES = 70

suite('lists of several servers', () => {
  let long: ToyServer
  let short: ToyServer
  let gateway: McpRoutes
  before(async () => {
    long = await startToy({
      handlers: {
        'tools/list': (request, response) => {
          const { cursor } = (request.body.params ?? {}) as { readonly cursor?: string }
          const page = Number(cursor ?? 0)
          const tools = [{ name: `t${page}`, inputSchema: { type: 'object' } }]
          reply(request, response, { tools, ...(page + 1 < PAGES && { nextCursor: String(page + 1) }) })
        },
      },
    })
    short = await startToy({ tools: ['only'] })
    const targets = [httpTarget('long', long.url), httpTarget('short', short.url)]
    gateway = await startMcpRoutes({ both: { targets }, one: { targets: targets.slice(0, 1) } })
  })
  after(async () => {
    for (const one of [gateway, long, short]) await one[Symbol.asyncDispose]()
  })

  test('end at the 64th page of a server, which is logged once and visible in the dump', async () => {
    const client = gateway.client('both')
    await client.open()
    for (let i = 0; i < 2; i++) {
      const tools = (await client.request('tools/list')).response?.result?.tools as readonly {
        name: string
      }[]
      assert.equal(tools.length, 65)
      assert.deepEqual([tools[63]?.name, tools[64]?.name], ['long_t63', 'short_only'])
    }
    await gateway.daemon.printed(
      /warn.*a list of an MCP server has more pages than are read.*target=long.*method=tools\/list.*pages=64/,
    )
    assert.equal(gateway.daemon.output().match(/has more pages than are read/g)?.length, 1)
    const dump = await (await fetch(`${gateway.daemon.url('admin')}/config_dump`)).text()
    assert.match(dump.replaceAll(/\s/g, ''), /"longLists":\{"tools\/list":64\}/)
  })

  test('have no cursors: one that is sent is an error, without a call to a server', async () => {
    const client = gateway.client('both')
    await client.open()
    const from = long.requests.length
    for (const cursor of ['1', 'x'.repeat(5_000), '', 5, {}, []]) {
      const { status, response: answer } = await client.request('tools/list', { cursor })
      assert.deepEqual([status, answer?.error?.code], [200, -32_602], JSON.stringify(cursor))
      const modern = await gateway.client('both').requestModern('tools/list', { cursor })
      assert.deepEqual([modern.status, modern.response?.error?.code], [400, -32_602])
    }
    assert.equal(long.requests.length, from)
    assert.equal((await client.request('tools/list', { cursor: null })).response?.error, undefined)
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list'])
      assert.equal((await client.request(method, { cursor: 'x' })).response?.error?.code, -32_602)
  })

  test('have the cursors of the server if there is only one', async () => {
    const client = gateway.client('one')
    await client.open()
    const { response: answer } = await client.request('tools/list', { cursor: '69' })
    assert.deepEqual(answer?.result, { tools: [{ name: 't69', inputSchema: { type: 'object' } }] })
  })
})
