import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/openapi-tools', async (t) => {
  const seen: string[] = []
  await using pets = await startUpstream((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      seen.push(`${req.method} ${req.url} ${req.headers.authorization} ${body}`.trim())
      res.setHeader('content-type', 'application/json')
      res.statusCode = req.url === '/api/pets/404' ? 404 : 200
      res.end(res.statusCode === 404 ? '{"error":"no such pet"}' : '{"id":7,"name":"Rex"}')
    })
  })
  await using daemon = await startExample('openapi-tools', { PETS: pets.host, PETS_KEY: 'k' })
  const client = new Client({ name: 'example', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url('default')}/mcp`)))
  t.after(() => client.close())

  await t.test('lists the operations of the document as tools', async () => {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name, title, annotations }) => [name, title, annotations?.readOnlyHint]),
      [
        ['findPets', 'Find pets', true],
        ['addPet', 'Add a pet', false],
        ['getPet', 'Get a pet', true],
      ],
    )
  })

  await t.test('turns tool calls into HTTP requests with the key', async () => {
    const { structuredContent } = await client.callTool({ name: 'getPet', arguments: { path: { id: 7 } } })
    assert.deepEqual(structuredContent, { id: 7, name: 'Rex' })
    await client.callTool({ name: 'findPets', arguments: { query: { tag: ['dog', 'old'] } } })
    const body = { name: 'Rex', children: [{ name: 'Bo' }] }
    await client.callTool({ name: 'addPet', arguments: { body } })
    assert.deepEqual(seen, [
      'GET /api/pets/7 Bearer k',
      'GET /api/pets?tag=dog&tag=old Bearer k',
      'POST /api/pets Bearer k {"name":"Rex","children":[{"name":"Bo"}]}',
    ])
  })

  await t.test('reports API errors to models, and invalid arguments to clients', async () => {
    const { isError, content } = await client.callTool({ name: 'getPet', arguments: { path: { id: 404 } } })
    assert.equal(isError, true)
    assert.deepEqual(content[0], {
      type: 'text',
      text: 'Upstream API call for tool getPet failed with status 404',
    })
    await assert.rejects(client.callTool({ name: 'getPet', arguments: { path: { id: '../x' } } }), {
      code: -32602,
    })
  })
})
