import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, firstValueFrom, of } from 'rxjs'
import { askPeer } from '../../../../../src/operators/backend/mcp/federation/ask-peer.ts'
import { isOutcome, WirePeer } from '../../../../../src/operators/backend/mcp/servers/peer.ts'
import type { Target } from '../../../../../src/operators/backend/mcp/servers/target.ts'
import { TargetMemory } from '../../../../../src/operators/backend/mcp/servers/target-memory.ts'
import type { Access } from '../../../../../src/operators/backend/mcp/sessions/access.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { nobody, scripted, StdioTestPlace } from '../../../../support/mcp/stdio-place.ts'

test('calls that fail together with the program that all share take nothing from the next', async () => {
  await using place = new StdioTestPlace()
  const target: Target = {
    name: 'files',
    isBound: true,
    memory: new TargetMemory(),
    wire: () => place.wire(scripted()),
    behalf: () => nobody,
  }
  const access: Access = {
    peer: () => of(new WirePeer('files', '2026-07-28', undefined, target.memory.sharedWire(target))),
    forget: () => undefined,
  }
  const x = exchange()
  const ask = (method: string, params = {}) =>
    askPeer({ access, x }, target, { method, params }).pipe(filter(isOutcome))
  const died = { code: 'mcp_server_died' }
  // What one asks at once when its call has failed comes before the others hear of it.
  const next = new Promise((resolve, reject) => {
    ask('silent').subscribe({
      error: () => {
        firstValueFrom(ask('echo', { words: 'again' })).then(resolve, reject)
      },
    })
  })
  const failed = [ask('silent'), ask('die', { code: 7 })].map((one) =>
    assert.rejects(firstValueFrom(one), died),
  )
  assert.deepEqual(await next, { result: { params: { words: 'again' } } })
  await Promise.all(failed)
})
