import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { everythingTarget } from '../../support/mcp/mcp-daemon.ts'
import { type Replicas, startReplicas } from '../../support/mcp/replicas.ts'

const program = everythingTarget('everything', 'legacy')
const simple = { name: 'test_simple_text', arguments: {} }

suite('replicas that reach one another', { concurrency: false }, () => {
  let replicas: Replicas
  before(async () => {
    const apiKey = { mode: 'strict', keys: [{ key: 'key-of-ann' }, { key: 'key-of-eve' }] }
    replicas = await startReplicas({
      program: { targets: [program] },
      users: { targets: [program], policies: { apiKey } },
    })
  })
  after(() => replicas[Symbol.asyncDispose]())

  const opened = async (name: string, fields?: Record<string, string>): Promise<McpCaller> => {
    const client = replicas.client(name, fields)
    await client.open()
    return client
  }

  test('go on with a session of a program, whichever of them is asked', async () => {
    const client = await opened('program')
    for (let i = 0; i < 6; i++) {
      const told = await client.ask('tools/call', simple)
      assert.equal(told.status, 200, told.text)
      assert.match(told.text, /This is a simple text response/)
    }
    assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 202)
  })
})
