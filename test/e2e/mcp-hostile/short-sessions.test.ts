import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { suite, test } from 'node:test'
import type { Daemon } from '../../support/daemon.ts'
import { cheapTarget } from '../../support/mcp/shell-server.ts'
import type { McpCaller, Sending } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { processesMarked, until } from '../../support/mcp/stdio-fixture.ts'
import { startToy } from '../../support/mcp/toy-server.ts'

const SESSIONS = 500
const AT_ONCE = 10
const source = (path: string): string => new URL(`../../../${path}`, import.meta.url).pathname
const program = [process.execPath, '--import', source('test/support/heap-preload.ts'), source('src/main.ts')]

interface Left {
  readonly heapUsed: number
  readonly sockets: number
  readonly timers: number
  readonly children: number
}

suite('short-lived sessions', () => {
  let asked = 0
  const leftIn = async (daemon: Daemon): Promise<Left> => {
    daemon.child.kill('SIGUSR2')
    const [, json = ''] = await daemon.printed(new RegExp(`left ${++asked} (.*)`))
    return JSON.parse(json) as Left
  }
  const many = async (count: number, visit: (i: number) => Promise<void>): Promise<void> => {
    let next = 0
    const one = async (): Promise<void> => {
      while (next < count) await visit(next++)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }

  test('leave no processes, connections, timers or memory behind', async () => {
    const mark = randomUUID()
    await using toy = await startToy({ tools: ['add'] })
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    await using gateway = await startMcpRoutes(
      { http: { targets: [httpTarget('toy', toy.url)] }, stdio: { targets: [cheapTarget('sh', mark)] } },
      { logging: { filter: 'false' } },
      { program },
    )
    const visit = async (route: string, i: number): Promise<void> => {
      const client = gateway.client(route)
      const sending: Sending = { agent }
      if (i % 4 === 3) {
        const told = await client.requestModern('tools/call', { name: 'add' }, {}, sending)
        assert.equal(told.status, 200, told.text)
        return
      }
      await begin(client, sending)
      const told = await client.request('tools/call', { name: 'add' }, sending)
      assert.equal(told.status, 200, told.text)
      // Some leave while they listen, and some during a request.
      if (route === 'stdio' && i % 4 === 1) {
        const stream = await client.listen()
        stream.leave()
      }
      const end = await client.send(undefined, { method: 'DELETE', ...sending })
      assert.equal(end.status, 200)
    }
    const round = async (count: number): Promise<Left> => {
      for (const route of ['http', 'stdio']) await many(count, (i) => visit(route, i))
      return leftIn(gateway.daemon)
    }
    const before = await round(SESSIONS / 5)
    const after = await round(SESSIONS)
    await until(() => processesMarked(mark).length <= AT_ONCE)
    const grown = (after.heapUsed - before.heapUsed) / 1_048_576
    assert.ok(grown <= 2, `the heap has grown by ${grown} MB`)
    assert.ok(after.timers <= before.timers + AT_ONCE, JSON.stringify([before, after]))
    assert.ok(after.sockets <= before.sockets + AT_ONCE, JSON.stringify([before, after]))
    await until(() => toy.sessions.size <= AT_ONCE)
    agent.destroy()
    await gateway.daemon.stop()
    await until(() => processesMarked(mark).length === 0)
  })
})

const begin = async (client: McpCaller, sending: Sending): Promise<void> => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const told = await client.request('initialize', params, sending)
  assert.equal(told.status, 200, told.text)
  client.fields['mcp-session-id'] = String(told.headers['mcp-session-id'])
}
