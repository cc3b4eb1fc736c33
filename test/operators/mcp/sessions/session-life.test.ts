import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { firstValueFrom, NEVER, Observable, of, Subject } from 'rxjs'
import { Fault } from '../../../../../src/model/fault.ts'
import { HeldCall } from '../../../../../src/operators/backend/mcp/bridge/held-call.ts'
import { HeldCalls } from '../../../../../src/operators/backend/mcp/bridge/held-calls.ts'
import type { FromServer, Peer } from '../../../../../src/operators/backend/mcp/servers/peer.ts'
import { McpSession } from '../../../../../src/operators/backend/mcp/sessions/session.ts'
import { SessionIds } from '../../../../../src/operators/backend/mcp/sessions/mcp-session-ids.ts'
import { McpSessions } from '../../../../../src/operators/backend/mcp/sessions/sessions.ts'
import { noBehalf } from '../../../../../src/operators/backend/mcp/servers/send-inside.ts'
import type { Target } from '../../../../../src/operators/backend/mcp/servers/target.ts'
import { TargetMemory } from '../../../../../src/operators/backend/mcp/servers/target-memory.ts'
import { SealRing } from '../../../../../src/protocols/seal/seal-ring.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { until } from '../../../../support/mcp/stdio-place.ts'

const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c' } }

/** A server of a few lines. */
const peerOf = (more: Partial<Peer> = {}): Peer & { readonly closed: () => number } => {
  let closed = 0
  return {
    target: 'one',
    about: { capabilities: {}, result: {} },
    revision: '2025-11-25',
    sessionId: undefined,
    call: () => NEVER,
    notify: () => Promise.resolve(),
    answer: () => Promise.resolve(),
    listen: () => NEVER,
    close: () => {
      closed++
    },
    closed: () => closed,
    ...more,
  }
}
const target: Target = {
  name: 'one',
  isBound: false,
  memory: new TargetMemory(),
  wire: () => {
    throw new Error('nobody connects here')
  },
  behalf: () => noBehalf,
}

test('a session', async (t) => {
  await t.test('begins with a server once, however many ask', async () => {
    const connections: Subject<Peer>[] = []
    const session = new McpSession(who, '', () => {
      const connection = new Subject<Peer>()
      connections.push(connection)
      return connection
    })
    const x = exchange()
    const asked = [1, 2, 3].map(() => firstValueFrom(session.peer(target, x)))
    assert.equal(connections.length, 1)
    const peer = peerOf()
    connections[0]?.next(peer)
    assert.deepEqual(await Promise.all(asked), [peer, peer, peer])
    assert.equal(await firstValueFrom(session.peer(target, x)), peer)
    session.forget(peer)
    const again = firstValueFrom(session.peer(target, x))
    assert.equal(connections.length, 2)
    connections[1]?.next(peer)
    await again
  })

  await t.test('tries again after a failure, and when a server is found dead', async () => {
    const dying = { ...peerOf(), isOver: false }
    const peers: (Peer | Error)[] = [new Error('not now'), dying, peerOf()]
    const session = new McpSession(who, '', () => {
      const next = peers.shift()
      return next instanceof Error
        ? new Observable((out) => {
            out.error(next)
          })
        : of(next as Peer)
    })
    const x = exchange()
    await assert.rejects(firstValueFrom(session.peer(target, x)), /not now/)
    assert.equal(await firstValueFrom(session.peer(target, x)), dying)
    dying.isOver = true
    assert.notEqual(await firstValueFrom(session.peer(target, x)), dying)
  })

  await t.test('that is closed keeps nothing that comes later', () => {
    const coming = new Subject<Peer>()
    const session = new McpSession(who, '', () => coming)
    session.peer(target, exchange()).subscribe()
    session.close()
    const late = peerOf()
    coming.next(late)
    assert.equal(late.closed(), 1)
  })

  await t.test('ends when it was idle, unless something is under way, and stays ended', async () => {
    const sessions = new McpSessions(30)
    const peer = peerOf()
    const [idle, busy] = [1, 2].map(() => new McpSession(who, '', () => of(peer))) as [McpSession, McpSession]
    await firstValueFrom(idle.peer(target, exchange()))
    busy.began(1, () => undefined)
    sessions.add('idle', idle)
    sessions.add('busy', busy)
    await until(() => sessions.size === 1)
    assert.equal(peer.closed(), 1)
    assert.ok(sessions.hasEnded('idle'))
    assert.equal(sessions.find('busy'), busy)
    busy.ended(1)
    await until(() => sessions.size === 0)
  })

  await t.test('that began elsewhere is lost when no server knows it any more', () => {
    const session = new McpSession(who, '', () => NEVER)
    const a = peerOf({ target: 'a', about: undefined, sessionId: 'a' })
    const b = peerOf({ target: 'b', about: undefined, sessionId: 'b' })
    session.adopt(a)
    session.adopt(b)
    session.forget(a)
    assert.equal(session.isLost, false)
    session.forget(b)
    assert.equal(session.isLost, true)
  })
})

test('the id of a session fits into a header field, or there is none', () => {
  const ids = new SessionIds(new SealRing([randomBytes(32)]), 'b', { replica: 'r' })
  const make = (clientInfo: object, capabilities: object, sessionId = 's') => {
    const session = new McpSession({ ...who, clientInfo, capabilities } as typeof who, '', () => NEVER)
    session.adopt(peerOf({ sessionId }))
    return ids.make(session, [target], '2025-11-25')
  }
  const plain = ids.read(make({ name: 'c' }, { sampling: { tools: {} } }))
  assert.deepEqual([plain?.clientInfo, plain?.capabilities], [{ name: 'c' }, { sampling: { tools: {} } }])
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, {}]))
  const long = make(
    { name: 'n'.repeat(9_000), version: '2' },
    { elicitation: { form: {}, url: { deep: many } }, extensions: many },
  )
  assert.ok(long.length < 8_000)
  assert.deepEqual(ids.read(long)?.capabilities, { elicitation: { form: {}, url: {} } })
  assert.deepEqual(ids.read(long)?.clientInfo, { name: 'n'.repeat(64), version: '2' })
  const wide = ids.read(make({}, { sampling: many }))
  assert.deepEqual(wide?.capabilities, {})
  assert.throws(
    () => make({}, {}, 's'.repeat(9_000)),
    (fault) => fault instanceof Fault && fault.code === 'mcp_session_too_long',
  )
})

test('calls that wait for their clients', async (t) => {
  const question: FromServer = { jsonrpc: '2.0', id: 1, method: 'roots/list' }
  const asking = (held: HeldCalls) => {
    const released: boolean[] = []
    let keys = ''
    const peer = peerOf({
      call: () =>
        new Observable((out) => {
          out.next(question)
        }),
    })
    const outcome = firstValueFrom(
      new Observable<FromServer>((out) => {
        const call: HeldCall = new HeldCall({ method: 'tools/call' }, out, {
          lease: { peer, isUsed: false, release: (spoiled) => released.push(spoiled) },
          behalf: noBehalf,
          capabilities: { roots: {} },
          wantsLog: false,
          state: () => (keys = held.add(call)),
        })
        return () => {
          call.abandon(out)
        }
      }),
    )
    return { outcome, released, key: () => keys }
  }

  await t.test('are given up when those take too long', async () => {
    const held = new HeldCalls(20)
    const { outcome, released, key } = asking(held)
    await outcome
    assert.equal(held.size, 1)
    assert.deepEqual(released, [])
    await until(() => held.size === 0)
    assert.deepEqual(released, [true])
    assert.equal(held.take(key()), undefined)
  })

  await t.test('are a bounded number, of which one too many is refused', async () => {
    const held = new HeldCalls()
    const all = Array.from({ length: 1_000 }, () => asking(held))
    await Promise.all(all.map(({ outcome }) => outcome))
    const more = asking(held)
    await assert.rejects(
      more.outcome,
      (fault) => fault instanceof Fault && fault.code === 'mcp_too_many_held',
    )
    assert.deepEqual(more.released, [true])
    await held.destroy()
    assert.ok(all.every(({ released }) => released.length === 1))
  })
})
