import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { NEVER, of } from 'rxjs'
import { callKey } from '../../../../src/operators/mcp/response/event-id.ts'
import type { ServerClient } from '../../../../src/operators/mcp/servers/server-client.ts'
import { noHttpContext } from '../../../../src/operators/mcp/servers/inner-exchange.ts'
import type { Target } from '../../../../src/operators/mcp/servers/target.ts'
import { TargetState } from '../../../../src/operators/mcp/servers/target-state.ts'
import { SessionIds } from '../../../../src/operators/mcp/sessions/session-ids.ts'
import { McpSession } from '../../../../src/operators/mcp/sessions/session.ts'
import { Keyring } from '../../../../src/protocols/seal/aead-keyring.ts'
import { exchange } from '../../../../src/testing/exchange.ts'

const ring = new Keyring([randomBytes(32)])
const one = { replica: 'one', address: 'http://10.0.0.1:3000' }
const two = { replica: 'two', address: 'http://10.0.0.2:3000' }
const here = new SessionIds(ring, 'a', one)
const there = new SessionIds(ring, 'a', two)
const alone = new SessionIds(ring, 'a', { replica: 'one' })

const target = (isBound: boolean): Target => ({
  name: 'server',
  isBound,
  state: new TargetState(),
  createTransport: () => assert.fail('nobody connects here'),
  requestContext: () => noHttpContext,
})

/** A session with a server of a revision. */
const sessionWith = (at: Target, revision: string): McpSession => {
  const server: ServerClient = {
    target: 'server',
    about: undefined,
    revision,
    sessionId: 's-1',
    call: () => NEVER,
    notify: () => Promise.resolve(),
    respond: () => Promise.resolve(),
    listen: () => NEVER,
    close: () => undefined,
  }
  const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const session = new McpSession(who, '', () => of(server))
  session.connect(at, exchange()).subscribe()
  return session
}

/** The replica that owns a session, as another replica reads it from its id. */
const ownerOf = (ids: SessionIds, at: Target, revision: string) => {
  const state = there.read(ids.make(sessionWith(at, revision), [at], '2025-11-25'))
  assert.ok(state)
  return there.otherOwner(state)
}

test('a session id', async (t) => {
  await t.test('contains the owner and its address if the server has state', () => {
    assert.deepEqual(ownerOf(here, target(true), '2025-11-25'), one)
    assert.deepEqual(ownerOf(alone, target(true), '2025-11-25'), { replica: 'one', address: undefined })
    assert.equal(ownerOf(there, target(true), '2025-11-25'), undefined)
  })

  await t.test('contains no replica if any of them can continue it', () => {
    for (const ids of [here, alone]) assert.equal(ownerOf(ids, target(false), '2025-11-25'), undefined)
  })

  await t.test('contains the replica that gets requests of servers without sessions, and its address', () => {
    assert.deepEqual(ownerOf(here, target(false), '2026-07-28'), one)
    assert.equal(ownerOf(alone, target(false), '2026-07-28'), undefined)
  })
})

test('the owner of replies', async (t) => {
  const session = sessionWith(target(false), '2025-11-25')
  session.id = 'id-1'
  const ownerToken = here.ownerTokenFor(session)
  const event = `${callKey('n', 1, ownerToken)}/3`

  await t.test('is found by other replicas, for this session and backend only', () => {
    assert.deepEqual(there.responseOwner(event, 'id-1'), one)
    assert.equal(there.responseOwner(event, 'id-2'), undefined)
    assert.equal(new SessionIds(ring, 'b', two).responseOwner(event, 'id-1'), undefined)
    const strange = new SessionIds(new Keyring([randomBytes(32)]), 'a', two)
    assert.equal(strange.responseOwner(event, 'id-1'), undefined)
  })

  await t.test('is written once per session', () => {
    assert.equal(here.ownerTokenFor(session), ownerToken)
  })

  await t.test('is not this replica, and not found in events without one', () => {
    assert.equal(here.responseOwner(event, 'id-1'), undefined)
    for (const other of ['', '/', 'n/1', 'n.MQ/1', 'n.MQ.x/1', `n.MQ.${one.address}/1`])
      assert.equal(there.responseOwner(other, 'id-1'), undefined, other)
  })

  await t.test('is not sent if there are no other replicas', () => {
    assert.equal(alone.ownerTokenFor(session), undefined)
  })
})

test('the name of a stream', async (t) => {
  await t.test('contains its owner for other replicas, for its caller only', () => {
    const name = here.makeStream('ann')
    assert.deepEqual(there.streamOwner(name, 'ann'), one)
    assert.equal(there.streamOwner(name, 'eve'), undefined)
    assert.equal(there.streamOwner(name, ''), undefined)
    assert.equal(here.streamOwner(name, 'ann'), undefined)
    assert.equal(new SessionIds(ring, 'b', two).streamOwner(name, 'ann'), undefined)
  })

  await t.test('cannot be combined from two names', () => {
    const [mine = ''] = here.makeStream('ann').split('.')
    const [, owner = ''] = here.makeStream('ann').split('.')
    assert.equal(there.streamOwner(`${mine}.${owner}`, 'ann'), undefined)
  })

  await t.test('contains nothing if there are no other replicas', () => {
    const name = alone.makeStream('ann')
    assert.match(name, /^[\da-f-]{36}$/)
    assert.equal(there.streamOwner(name, 'ann'), undefined)
  })
})
