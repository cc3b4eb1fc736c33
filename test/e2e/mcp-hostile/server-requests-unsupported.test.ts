import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { reply, startToy, streamed, type ToyServer } from '../../support/mcp/toy-server.ts'

const question = { jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: {} }

suite('servers without sessions that send requests to clients', () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({
      hasSessions: false,
      tools: ['ask'],
      handlers: {
        initialize: (_, response) => response.writeHead(400).end(),
        'server/discover': (request, response) => {
          reply(request, response, {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {} },
          })
        },
        ask: (request, response) => {
          streamed(request, response, [question])
        },
      },
    })
    gateway = await startMcpRoutes({ one: { targets: [httpTarget('toy', toy.url)] } })
  })
  after(async () => {
    for (const one of [gateway, toy]) await one[Symbol.asyncDispose]()
  })

  for (const era of ['modern', 'legacy'] as const)
    test(`fail the call of a ${era} client, and their stream is closed`, async () => {
      const client = gateway.client('one')
      if (era === 'legacy') await client.open({ capabilities: { sampling: {} } })
      const before = toy.requestsOf('ask').length
      const told = await (era === 'modern'
        ? client.requestModern('tools/call', { name: 'ask' }, { sampling: {} })
        : client.request('tools/call', { name: 'ask' }))
      assert.equal(told.response?.error?.code, -32_603, told.text)
      assert.match(told.response.error.message, /target toy .*sampling\/createMessage.*input_required/)
      assert.equal(
        told.messages.some(({ method }) => method !== undefined),
        false,
      )
      await (
        await toy.nextRequestOf('ask', before + 1)
      ).gone
    })
})
