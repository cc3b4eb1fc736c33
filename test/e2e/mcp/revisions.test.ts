import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { content, type ToyHandler, reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const revisions = [...legacy, '2026-07-28']

suite('clients of every revision reach servers of every revision', { concurrency: false }, () => {
  const servers: Record<string, ToyServer> = {}
  let gateway: McpRoutes
  before(async () => {
    for (const revision of revisions) servers[revision] = await startToy(speaking(revision))
    const targets = revisions.map((revision, i) => httpTarget(`v${i}`, servers[revision]?.url ?? ''))
    gateway = await startMcpRoutes({
      ...Object.fromEntries(revisions.map((revision, i) => [revision, { targets: targets.slice(i, i + 1) }])),
      all: { targets },
    })
  })
  after(async () => {
    for (const one of [gateway, ...Object.values(servers)]) await one[Symbol.asyncDispose]()
  })

  for (const spoken of revisions)
    for (const route of [...revisions, 'all'])
      test(`${spoken} in front of ${route}`, async () => {
        const client = gateway.client(route)
        const isModern = spoken === '2026-07-28'
        if (!isModern) {
          const { response: answer } = await client.open({}, spoken)
          // An older revision of a server is returned; a newer one is hidden from the client.
          const oldest = route === 'all' ? (legacy[0] ?? '') : route
          assert.equal(answer?.result?.protocolVersion, oldest < spoken ? oldest : spoken)
        }
        const ask = (method: string, params: Record<string, unknown> = {}) =>
          isModern ? client.requestModern(method, params) : client.request(method, params)
        const listed = (await ask('tools/list')).response?.result?.tools as { readonly name: string }[]
        const names = listed.map(({ name }) => name)
        assert.deepEqual(names, route === 'all' ? revisions.map((_, i) => `v${i}_add`) : ['add'])
        for (const name of names) {
          const { response: answer } = await ask('tools/call', { name })
          const { resultType, ...result } = answer?.result ?? {}
          assert.deepEqual(result, content('add done'))
          assert.equal(resultType, isModern ? 'complete' : undefined)
        }
        for (const [revision, server] of Object.entries(servers))
          for (const { headers, body } of server.requestsOf('tools/call')) {
            const params = body.params as { readonly _meta?: Readonly<Record<string, unknown>> }
            const said = params._meta?.['io.modelcontextprotocol/protocolVersion']
            assert.equal(said, revision === '2026-07-28' ? revision : undefined)
            if (revision !== '2024-11-05') assert.equal(headers['mcp-protocol-version'], revision)
          }
      })
})

/** A server of one revision, whatever is requested. */
const speaking = (revision: string) =>
  revision === '2026-07-28'
    ? { hasSessions: false, handlers: modern }
    : {
        tools: ['add'],
        handlers: {
          initialize: ((request, response) =>
            reply(request, response, {
              protocolVersion: revision,
              capabilities: { tools: {} },
              serverInfo: { name: 'toy', version: '1' },
            })) satisfies ToyHandler,
        },
        hasSessions: false,
      }

const modern: Readonly<Record<string, ToyHandler>> = {
  initialize: (_, response) => response.writeHead(404).end(),
  'server/discover': (request, response) =>
    reply(request, response, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/list': (request, response) =>
    reply(request, response, {
      resultType: 'complete',
      tools: [{ name: 'add', inputSchema: { type: 'object' } }],
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/call': (request, response) =>
    reply(request, response, { resultType: 'complete', ...content('add done') }),
}
