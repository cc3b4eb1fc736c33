import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { NEVER, of } from 'rxjs'
import { callKey } from '../../../../../src/operators/backend/mcp/answer/call-key.ts'
import type { Peer } from '../../../../../src/operators/backend/mcp/servers/peer.ts'
import { noBehalf } from '../../../../../src/operators/backend/mcp/servers/send-inside.ts'
import type { Target } from '../../../../../src/operators/backend/mcp/servers/target.ts'
import { TargetMemory } from '../../../../../src/operators/backend/mcp/servers/target-memory.ts'
import { SessionIds } from '../../../../../src/operators/backend/mcp/sessions/mcp-session-ids.ts'
import { McpSession } from '../../../../../src/operators/backend/mcp/sessions/session.ts'
import { SealRing } from '../../../../../src/protocols/seal/seal-ring.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'

const ring = new SealRing([randomBytes(32)])
const one = { replica: 'one', address: 'http://10.0.0.1:3000' }
const two = { replica: 'two', address: 'http://10.0.0.2:3000' }
const here = new SessionIds(ring, 'a', one)
const there = new SessionIds(ring, 'a', two)
const alone = new SessionIds(ring, 'a', { replica: 'one' })

const target = (isBound: boolean): Target => ({
  name: 'server',
  isBound,
  memory: new TargetMemory(),
  wire: () => assert.fail('nobody connects here'),
  behalf: () => noBehalf,
})

/** A session with a server of a revision. */
const sessionWith = (at: Target, revision: string): McpSession => {
  const peer: Peer = {
    target: 'server',
    about: undefined,
    revision,
    sessionId: 's-1',
    call: () => NEVER,
    notify: () => Promise.resolve(),
    answer: () => Promise.resolve(),
    listen: () => NEVER,
    close: () => undefined,
  }
  const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const session = new McpSession(who, '', () => of(peer))
  session.peer(at, exchange()).subscribe()
  return session
}

/** Who alone can go on with it, as another replica reads its id. */
const ownerOf = (ids: SessionIds, at: Target, revision: string) => {
  const state = there.read(ids.make(sessionWith(at, revision), [at], '2025-11-25'))
  assert.ok(state)
  return there.ownerElsewhere(state)
}

test('the id of a session', async (t) => {
  await t.test('says who has what it needs, and where the others reach that one', () => {
    assert.deepEqual(ownerOf(here, target(true), '2025-11-25'), one)
    assert.deepEqual(ownerOf(alone, target(true), '2025-11-25'), { replica: 'one', address: undefined })
    assert.equal(ownerOf(there, target(true), '2025-11-25'), undefined)
  })

  await t.test('says nobody where any replica can go on', () => {
    for (const ids of [here, alone]) assert.equal(ownerOf(ids, target(false), '2025-11-25'), undefined)
  })

  await t.test('says who hears what servers without sessions ask, where the others reach that one', () => {
    assert.deepEqual(ownerOf(here, target(false), '2026-07-28'), one)
    assert.equal(ownerOf(alone, target(false), '2026-07-28'), undefined)
  })
})

test('the keeper of answers', async (t) => {
  const session = sessionWith(target(false), '2025-11-25')
  session.id = 'id-1'
  const keeper = here.keeper(session)
  const event = `${callKey('n', 1, keeper)}/3`

  await t.test('is found by other replicas, for this session and backend only', () => {
    assert.deepEqual(there.keeperElsewhere(event, 'id-1'), one)
    assert.equal(there.keeperElsewhere(event, 'id-2'), undefined)
    assert.equal(new SessionIds(ring, 'b', two).keeperElsewhere(event, 'id-1'), undefined)
    const strange = new SessionIds(new SealRing([randomBytes(32)]), 'a', two)
    assert.equal(strange.keeperElsewhere(event, 'id-1'), undefined)
  })

  await t.test('is written once a session', () => {
    assert.equal(here.keeper(session), keeper)
  })

  await t.test('is not found by itself, nor in events that name none', () => {
    assert.equal(here.keeperElsewhere(event, 'id-1'), undefined)
    for (const other of ['', '/', 'n/1', 'n.MQ/1', 'n.MQ.x/1', `n.MQ.${one.address}/1`])
      assert.equal(there.keeperElsewhere(other, 'id-1'), undefined, other)
  })

  await t.test('is not told where nobody could ask', () => {
    assert.equal(alone.keeper(session), undefined)
  })
})

test('the name of a stream', async (t) => {
  await t.test('says to other replicas who has it, for its caller only', () => {
    const name = here.makeStream('ann')
    assert.deepEqual(there.streamElsewhere(name, 'ann'), one)
    assert.equal(there.streamElsewhere(name, 'eve'), undefined)
    assert.equal(there.streamElsewhere(name, ''), undefined)
    assert.equal(here.streamElsewhere(name, 'ann'), undefined)
    assert.equal(new SessionIds(ring, 'b', two).streamElsewhere(name, 'ann'), undefined)
  })

  await t.test('cannot be put together from two', () => {
    const [mine = ''] = here.makeStream('ann').split('.')
    const [, owner = ''] = here.makeStream('ann').split('.')
    assert.equal(there.streamElsewhere(`${mine}.${owner}`, 'ann'), undefined)
  })

  await t.test('says nothing where nobody could ask', () => {
    const name = alone.makeStream('ann')
    assert.match(name, /^[\da-f-]{36}$/)
    assert.equal(there.streamElsewhere(name, 'ann'), undefined)
  })
})
