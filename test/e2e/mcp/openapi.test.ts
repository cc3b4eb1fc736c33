import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { startUpstream } from '../../support/upstream.ts'

test('a target with a remote OpenAPI document', async (t) => {
  await using api = await startUpstream((req, res) => {
    res.setHeader('content-type', 'application/json')
    if (req.url !== '/openapi.json') res.end(JSON.stringify({ url: req.url }))
    else
      res.end(
        JSON.stringify({
          openapi: '3.1.0',
          servers: [{ url: '/v2' }],
          paths: {
            '/things/{id}': {
              get: {
                operationId: 'getThing',
                parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
              },
            },
          },
        }),
      )
  })
  await using gateway = await startMcpDaemon([
    {
      name: 'things',
      openapi: { host: `http://${api.host}`, schema: { url: `http://${api.host}/openapi.json` } },
    },
  ])

  for (const mode of ['legacy', 'auto'] as const)
    await t.test(`provides its tools to a client that negotiates ${mode}`, async () => {
      const client = new Client({ name: 'things', version: '1.0.0' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['getThing'],
      )
      const args = { name: 'getThing', arguments: { path: { id: 'a/b' } } }
      const { structuredContent } = await client.callTool(args)
      assert.deepEqual(structuredContent, { url: '/v2/things/a%2Fb' })
      await client.close()
    })
})
