import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Daemon, startDaemon } from '../../test/support/daemon.ts'
import { openReplicaRelay } from '../../test/support/mcp/replica-relay.ts'
import { startExample } from '../../test/support/example.ts'

/** Starts another configuration of this example. */
const start = (name: string, env: Readonly<Record<string, string>>): Promise<Daemon> =>
  startDaemon(readFileSync(`examples/mcp-federation/${name}.yaml`, 'utf8'), {
    env: {
      PORT: '0',
      ADMIN_ADDR: '127.0.0.1:0',
      STATS_ADDR: '127.0.0.1:0',
      READINESS_ADDR: '127.0.0.1:0',
      ...env,
    },
  })

const addressOf = (daemon: Daemon, path = '/mcp'): URL => new URL(path, daemon.url('default'))

const connected = async (daemon: Daemon, path?: string) => {
  const client = new Client({ name: 'example', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(addressOf(daemon, path))
  await client.connect(transport)
  return { client, transport }
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

const textOf = async (client: Client, name: string, args: Record<string, unknown>): Promise<string> => {
  const [first] = (await client.callTool({ name, arguments: args })).content
  return first?.type === 'text' ? first.text : ''
}

test('examples/mcp-federation', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-federation-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'greeting.txt'), 'hello from a file')
  await using both = await startExample('mcp-federation', {
    FOLDER: folder,
    NOTES: join(folder, 'notes.jsonl'),
  })
  const greeting = { path: join(folder, 'greeting.txt') }

  await t.test('lists the allowed items of two servers only', async () => {
    const { client } = await connected(both)
    const names = await namesOf(client)
    assert.deepEqual(
      names.filter((name) => name.startsWith('files_')),
      ['files_read_text_file', 'files_list_directory'],
    )
    assert.ok(names.includes('notes_create_entities'))
    assert.equal(await textOf(client, 'files_read_text_file', greeting), 'hello from a file')
    const entity = { name: 'gateway', entityType: 'program', observations: ['it works'] }
    await client.callTool({ name: 'notes_create_entities', arguments: { entities: [entity] } })
    assert.match(await textOf(client, 'notes_read_graph', {}), /it works/)
    await assert.rejects(
      client.callTool({ name: 'files_write_file', arguments: greeting }),
      /Unknown tool: files_write_file/,
    )
    await client.close()
  })

  await t.test('reaches remote servers, and leaves out one that is down (remote.yaml)', async () => {
    const { host } = addressOf(both)
    await using remote = await start('remote', { TEAM: host, OLD: host, SEARCH: 'localhost:1' })
    const { client } = await connected(remote)
    const names = await namesOf(client)
    assert.ok(names.includes('team_files_read_text_file'))
    assert.ok(names.includes('old_notes_read_graph'))
    assert.equal(await textOf(client, 'old_files_read_text_file', greeting), 'hello from a file')
    await client.close()
  })

  await t.test('continues sessions on a second gateway (replicas.yaml)', async () => {
    await using stack = new AsyncDisposableStack()
    const env = {
      KEY: randomBytes(32).toString('hex'),
      TEAM: addressOf(both).host,
      NOTES: join(folder, 'replicas.jsonl'),
    }
    const replica = async () => {
      const door = stack.use(await openReplicaRelay())
      const daemon = stack.use(await start('replicas', { ...env, ADDRESS: new URL(door.origin).host }))
      door.relayTo(daemon.url('default'))
      return { daemon, door }
    }
    const [first, second] = [await replica(), await replica()]
    const moved = async (path: string): Promise<Client> => {
      const begun = await connected(first.daemon, path)
      const { sessionId = '' } = begun.transport
      assert.ok(sessionId.length > 100)
      // No DELETE is sent: the client continues the session.
      await begun.client.close()
      const client = new Client({ name: 'example', version: '1.0.0' })
      await client.connect(new StreamableHTTPClientTransport(addressOf(second.daemon, path), { sessionId }))
      return client
    }
    const files = await moved('/mcp')
    assert.equal(await textOf(files, 'files_read_text_file', greeting), 'hello from a file')
    const notes = await moved('/notes/mcp')
    assert.match(await textOf(notes, 'read_graph', {}), /entities/)
    await first.daemon.stop()
    await first.door[Symbol.asyncDispose]()
    assert.equal(await textOf(files, 'files_read_text_file', greeting), 'hello from a file')
    await assert.rejects(
      textOf(notes, 'read_graph', {}),
      /session belongs to replica .*, which cannot be asked/,
    )
    await Promise.all([files.close(), notes.close()])
  })
})
