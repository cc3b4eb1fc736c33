import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, firstValueFrom, mergeMap } from 'rxjs'
import { reconnect } from '../../../../src/operators/mcp/servers/connect.ts'
import { isOutcome } from '../../../../src/operators/mcp/servers/server-client.ts'
import type { Target } from '../../../../src/operators/mcp/servers/target.ts'
import { TargetState } from '../../../../src/operators/mcp/servers/target-state.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { StreamableHttpTransport } from '../../../../src/upstream/mcp/streamable-http/transport.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { content, startToy } from '../../../support/mcp/toy-server.ts'

const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c' } }

test('a server that never confirms the initialization is called anyway', async ({ mock }) => {
  await using toy = await startToy({ handlers: { 'notifications/initialized': () => undefined } })
  const target: Target = {
    name: 'toy',
    isBound: false,
    state: new TargetState(),
    createTransport: () => new StreamableHttpTransport('toy', '/mcp', { era: 'legacy' }),
    requestContext: () => requestContextTo(toy.origin),
  }
  const x = exchange()
  mock.timers.enable({ apis: ['setInterval'] })
  const told = firstValueFrom(
    reconnect(target, who, x).pipe(
      mergeMap((server) =>
        server.call({ method: 'tools/call', params: { name: 'x' } }, target.requestContext(x)),
      ),
      filter(isOutcome),
    ),
  )
  await toy.nextRequestOf('notifications/initialized')
  mock.timers.tick(999)
  assert.equal(toy.requestsOf('x').length, 0)
  mock.timers.tick(1)
  assert.deepEqual(await told, { result: content('x done') })
})
