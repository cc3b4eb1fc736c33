import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import {
  type Script,
  type ScriptedServer,
  respondEvents,
  respondJson,
  startScripted,
} from '../../support/mcp/scripted-server.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const LISTEN = 'subscriptions/listen'
const about = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true } },
  resultType: 'complete',
}

/** A server of 2026-07-28, with a custom response to subscriptions. */
const modern =
  (listen: Script): Script =>
  (request, response) => {
    const { id, method } = request.body
    if (method === 'server/discover') respondJson(response, { jsonrpc: '2.0', id, result: about })
    else if (method === LISTEN) listen(request, response)
    else respondJson(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } })
  }
const unknown = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_601, message: 'Method not found' },
})

suite('servers of 2026-07-28 without subscriptions', () => {
  const servers: ScriptedServer[] = []
  let byStatus: ScriptedServer
  let byError: ScriptedServer
  let restless: ScriptedServer
  let older: ToyServer
  let gateway: McpRoutes
  before(async () => {
    byStatus = await startScripted(
      modern(({ body }, response) => {
        response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(unknown(body.id)))
      }),
    )
    byError = await startScripted(
      modern(({ body }, response) => {
        respondJson(response, unknown(body.id))
      }),
    )
    // Grants everything, and ends the subscription at once.
    restless = await startScripted(
      modern(({ body }, response) => {
        const { notifications } = body.params as { readonly notifications: object }
        respondEvents(response, {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': body.id } },
        })
        response.end()
      }),
    )
    // Has sessions, but no GET stream.
    older = await startToy()
    servers.push(byStatus, byError, restless)
    const target = (name: string, { origin }: ScriptedServer) => httpTarget(name, `${origin}/mcp`)
    gateway = await startMcpRoutes({
      status: { targets: [target('a', byStatus)] },
      error: { targets: [target('a', byError)] },
      several: { targets: [target('a', byStatus), target('b', byError)] },
      some: {
        targets: [
          target('a', byStatus),
          target('b', byError),
          target('c', restless),
          httpTarget('d', older.url),
        ],
      },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await older[Symbol.asyncDispose]()
    for (const server of servers) await server[Symbol.asyncDispose]()
  })
  const wanted = { notifications: { toolsListChanged: true } }
  const asked = ({ requests }: ScriptedServer): number =>
    requests.filter(({ body }) => body.method === LISTEN).length

  for (const route of ['status', 'error', 'several'])
    test(`are reported with method not found: ${route}`, async () => {
      const client = gateway.client(route)
      const told = await client.requestModern(LISTEN, wanted)
      assert.equal(told.status, 404, told.text)
      assert.deepEqual(told.messages, [
        {
          jsonrpc: '2.0',
          id: client.lastId,
          error: { code: -32_601, message: 'method not found: subscriptions/listen' },
        },
      ])
    })

  test('do not affect notifications of other servers, and are asked once', async () => {
    const before = { status: asked(byStatus), error: asked(byError), restless: asked(restless) }
    const stream = await gateway.client('some').streamModern(LISTEN, wanted)
    const { method, params } = await stream.message()
    assert.equal(method, 'notifications/subscriptions/acknowledged')
    assert.deepEqual(params?.notifications, { toolsListChanged: true })
    await older.nextRequestOf('GET')
    // This one is asked repeatedly: by now, others would have been as well.
    while (asked(restless) < before.restless + 3)
      await stream.message((message) => message.method === 'notifications/tools/list_changed')
    assert.equal(asked(byStatus), before.status + 1)
    assert.equal(asked(byError), before.error + 1)
    // Once for its notifications, and once for its requests outside of calls.
    assert.ok(older.requestsOf('GET').length <= 2)
    stream.leave()
  })
})
