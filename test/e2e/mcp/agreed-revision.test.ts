import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget, programTarget, sseTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { startEverything } from '../../support/mcp/everything-server.ts'
import {
  content,
  type ToyHandler,
  reply,
  startToy,
  streamed,
  type ToyServer,
} from '../../support/mcp/toy-server.ts'

const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const mortal = new URL('../../support/mcp/crashing-program.ts', import.meta.url).pathname

/** Replies with this revision, whatever is requested. */
const insisting = (protocolVersion: unknown, hasSessions = true): Promise<ToyServer> => {
  const deed: ToyHandler = (request, response) =>
    reply(request, response, {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'toy', version: '1' },
    })
  return startToy({ tools: ['add', 'news'], hasSessions, handlers: { ...handlers, initialize: deed } })
}

const handlers: Readonly<Record<string, ToyHandler>> = {
  news: (request, response) => {
    const news = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'so' } }
    streamed(request, response, [news], content('news done'))
  },
}

suite('the protocol revision of a session', { concurrency: 2 }, () => {
  const servers: Record<string, ToyServer> = {}
  let everything: Awaited<ReturnType<typeof startEverything>>
  let gateway: McpRoutes
  before(async () => {
    everything = await startEverything()
    servers.able = await startToy({ tools: ['add', 'news'], handlers: handlers })
    servers.newest = await insisting('2025-11-25', false)
    servers.older = await insisting('2025-03-26', false)
    servers.modern = await insisting('2026-07-28', false)
    servers.odd = await insisting(5, false)
    const target = (name: string) => httpTarget(name, servers[name]?.url ?? '')
    const program = programTarget('program', '--conditions=agentgateway-source', mortal)
    const older = sseTarget('sse', everything.origin)
    gateway = await startMcpRoutes({
      able: { targets: [target('able')] },
      newest: { targets: [target('newest')] },
      modern: { targets: [target('modern')] },
      odd: { targets: [target('odd')] },
      older: { targets: [target('older')] },
      program: { targets: [program] },
      sse: { targets: [older] },
      several: {
        targets: [target('able'), target('newest'), target('modern'), target('odd'), program, older],
      },
      lower: { targets: [target('newest'), target('older')] },
      stateless: { targets: [target('able')], mcp: { statefulMode: 'stateless' } },
    })
  })
  after(async () => {
    for (const one of [gateway, everything, ...Object.values(servers)]) await one[Symbol.asyncDispose]()
  })

  const agreed = async (route: string, version: string) => {
    const client = gateway.client(route)
    const { response: answer } = await client.open({}, version)
    return [client, answer?.result?.protocolVersion] as const
  }

  for (const version of versions) {
    test(`is ${version} if requested, whatever the servers speak`, async () => {
      for (const route of ['able', 'newest', 'modern', 'odd', 'program', 'sse', 'several'])
        assert.equal((await agreed(route, version))[1], version, route)
    })

    test(`is the older one of a server if ${version} is requested`, async () => {
      for (const route of ['older', 'lower'])
        assert.equal((await agreed(route, version))[1], version < '2025-03-26' ? version : '2025-03-26')
    })

    test(`decides about batches and priming events: ${version}`, async () => {
      for (const route of ['able', 'several']) {
        const [client] = await agreed(route, version)
        const batch = await client.send([ping('a'), ping('b')])
        assert.equal(batch.status, version === '2025-03-26' ? 200 : 400, batch.text)
        // Only clients of the newest revision understand an event with an id and without a message.
        const name = route === 'able' ? 'news' : 'able_news'
        const news = await client.request('tools/call', { name })
        assert.deepEqual(news.response?.result, content('news done'))
        assert.equal(/^id:/m.test(news.text), version === '2025-11-25', news.text)
        assert.doesNotMatch(news.text, /resultType/)
      }
    })
  }

  test('decides about them even if another one was requested', async () => {
    for (const route of ['older', 'lower']) {
      const [client] = await agreed(route, '2025-11-25')
      assert.equal((await client.send([ping('a'), ping('b')])).messages.length, 2)
      const name = route === 'older' ? 'news' : 'older_news'
      assert.doesNotMatch((await client.request('tools/call', { name })).text, /^id:/m)
    }
  })

  test('is sent to servers that agree on none', async () => {
    for (const route of ['modern', 'odd']) {
      const [client] = await agreed(route, '2025-06-18')
      const from = servers[route]?.requestsOf('tools/call').length ?? 0
      assert.deepEqual(
        (await client.request('tools/call', { name: 'add' })).response?.result,
        content('add done'),
      )
      assert.equal(
        servers[route]?.requestsOf('tools/call')[from]?.headers['mcp-protocol-version'],
        '2025-06-18',
      )
    }
  })

  test('defaults to one with batches for clients without sessions', async () => {
    const client = gateway.client('stateless')
    const batch = [ping('a'), ping('b')]
    assert.equal((await client.send(batch)).messages.length, 2)
    const named = (version: string) => client.send(batch, { fields: { 'mcp-protocol-version': version } })
    assert.equal((await named('2025-03-26')).status, 200)
    assert.equal((await named('2025-06-18')).status, 400)
  })
})

const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' })
