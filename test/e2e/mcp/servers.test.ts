import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

const modules = new URL('../../../node_modules/@modelcontextprotocol/', import.meta.url).pathname

const connected = async (url: string, mode: 'auto' | 'legacy') => {
  const client = new Client({ name: 'servers', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

/** Third-party servers as child processes of the gateway. */
suite('third-party servers behind the gateway', { concurrency: 2 }, () => {
  for (const mode of ['legacy', 'auto'] as const)
    test(`three stdio servers appear as one server to a client that negotiates ${mode}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mcp-servers-'))
      writeFileSync(join(folder, 'greeting.txt'), 'hello from a file')
      await using gateway = await startMcpDaemon([
        programTarget('everything', `${modules}server-everything/dist/index.js`),
        programTarget('files', `${modules}server-filesystem/dist/index.js`, folder),
        {
          name: 'memory',
          stdio: {
            cmd: process.execPath,
            args: [`${modules}server-memory/dist/index.js`],
            env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
          },
        },
      ])
      const client = await connected(gateway.url, mode)
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      assert.deepEqual(
        names.filter((name) => /_(echo|read_text_file|read_graph)$/.test(name)),
        ['everything_echo', 'files_read_text_file', 'memory_read_graph'],
      )
      assert.deepEqual(await textOf(client, 'everything_echo', { message: 'hi' }), 'Echo: hi')
      const path = join(folder, 'greeting.txt')
      assert.equal(await textOf(client, 'files_read_text_file', { path }), 'hello from a file')
      const entity = { name: 'gateway', entityType: 'program', observations: ['it works'] }
      await client.callTool({ name: 'memory_create_entities', arguments: { entities: [entity] } })
      assert.match(await textOf(client, 'memory_read_graph', {}), /it works/)
      const { resources } = await client.listResources()
      const [first] = resources
      assert.match(first?.uri ?? '', /^everything\+/)
      const read = await client.readResource({ uri: first?.uri ?? '' })
      assert.equal(read.contents.length, 1)
      await client.close()
      rmSync(folder, { recursive: true })
    })
})

const textOf = async (client: Client, name: string, args: Record<string, unknown>): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args })
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}
