import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, firstValueFrom, of } from 'rxjs'
import { callServer } from '../../../../src/operators/mcp/federation/call-server.ts'
import { isOutcome, TransportClient } from '../../../../src/operators/mcp/servers/server-client.ts'
import type { Target } from '../../../../src/operators/mcp/servers/target.ts'
import { TargetState } from '../../../../src/operators/mcp/servers/target-state.ts'
import type { Access } from '../../../../src/operators/mcp/sessions/server-access.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { noContext, scripted, StdioTestContext } from '../../../support/mcp/stdio-fixture.ts'

test('failed calls of a shared process do not affect a call that follows', async () => {
  await using endpointAddress = new StdioTestContext()
  const target: Target = {
    name: 'files',
    isBound: true,
    state: new TargetState(),
    createTransport: () => endpointAddress.transport(scripted()),
    requestContext: () => noContext,
  }
  const access: Access = {
    connect: () =>
      of(new TransportClient('files', '2026-07-28', undefined, target.state.sharedTransport(target))),
    discard: () => undefined,
  }
  const x = exchange()
  const callThrough = (method: string, params = {}) =>
    callServer({ access, x }, target, { method, params }).pipe(filter(isOutcome))
  const died = { code: 'mcp_server_died' }
  // A call that follows at once runs before the other failures are reported.
  const next = new Promise((resolve, reject) => {
    callThrough('silent').subscribe({
      error: () => {
        firstValueFrom(callThrough('echo', { words: 'again' })).then(resolve, reject)
      },
    })
  })
  const failed = [callThrough('silent'), callThrough('die', { code: 7 })].map((one) =>
    assert.rejects(firstValueFrom(one), died),
  )
  assert.deepEqual(await next, { result: { params: { words: 'again' } } })
  await Promise.all(failed)
})
