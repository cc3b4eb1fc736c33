import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { startToy } from '../../support/mcp/toy-server.ts'

const [older, newer] = ['0123456789abcdef'.repeat(4), 'fedcba9876543210'.repeat(4)]

test('sessions survive a key rotation', async () => {
  await using toy = await startToy({ tools: ['add'] })
  const routes = { one: { targets: [httpTarget('toy', toy.url)] } }
  const start = (...key: readonly string[]) => startMcpRoutes(routes, { session: { key } })
  await using before = await start(older)
  await using during = await start(newer, older)
  await using after = await start(newer)
  const statuses = async (from: typeof before) => {
    const client = from.client('one')
    await client.open()
    const told = [before, during, after].map((at) =>
      at.client('one', { ...client.fields }).request('tools/list'),
    )
    return (await Promise.all(told)).map(({ status }) => status)
  }
  assert.deepEqual(await statuses(before), [200, 200, 404])
  // The first of several keys encrypts.
  assert.deepEqual(await statuses(during), [404, 200, 200])
  assert.deepEqual(await statuses(after), [404, 200, 200])
})
