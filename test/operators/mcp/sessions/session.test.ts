import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { firstValueFrom, NEVER, Observable, of, Subject } from 'rxjs'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import { SuspendedCall } from '../../../../src/operators/mcp/bridge/suspended-call.ts'
import { SuspendedCalls } from '../../../../src/operators/mcp/bridge/suspended-calls.ts'
import type { FromServer, ServerClient } from '../../../../src/operators/mcp/servers/server-client.ts'
import { McpSession } from '../../../../src/operators/mcp/sessions/session.ts'
import { SessionIds } from '../../../../src/operators/mcp/sessions/session-ids.ts'
import { SessionStore } from '../../../../src/operators/mcp/sessions/session-store.ts'
import { noHttpContext } from '../../../../src/operators/mcp/servers/inner-exchange.ts'
import type { Target } from '../../../../src/operators/mcp/servers/target.ts'
import { TargetState } from '../../../../src/operators/mcp/servers/target-state.ts'
import { Keyring } from '../../../../src/protocols/seal/aead-keyring.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { until } from '../../../support/mcp/stdio-fixture.ts'

const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c' } }

/** A minimal server. */
const peerOf = (more: Partial<ServerClient> = {}): ServerClient & { readonly closed: () => number } => {
  let closed = 0
  return {
    target: 'one',
    about: { capabilities: {}, result: {} },
    revision: '2025-11-25',
    sessionId: undefined,
    call: () => NEVER,
    notify: () => Promise.resolve(),
    respond: () => Promise.resolve(),
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
  state: new TargetState(),
  createTransport: () => {
    throw new Error('nobody connects here')
  },
  requestContext: () => noHttpContext,
}

test('a session', async (t) => {
  await t.test('is opened with a server once for concurrent requests', async () => {
    const connections: Subject<ServerClient>[] = []
    const session = new McpSession(who, '', () => {
      const connection = new Subject<ServerClient>()
      connections.push(connection)
      return connection
    })
    const x = exchange()
    const asked = [1, 2, 3].map(() => firstValueFrom(session.connect(target, x)))
    assert.equal(connections.length, 1)
    const server = peerOf()
    connections[0]?.next(server)
    assert.deepEqual(await Promise.all(asked), [server, server, server])
    assert.equal(await firstValueFrom(session.connect(target, x)), server)
    session.discard(server)
    const again = firstValueFrom(session.connect(target, x))
    assert.equal(connections.length, 2)
    connections[1]?.next(server)
    await again
  })

  await t.test('is opened again after a failure, and when a server has died', async () => {
    const dying = { ...peerOf(), isOver: false }
    const servers: (ServerClient | Error)[] = [new Error('not now'), dying, peerOf()]
    const session = new McpSession(who, '', () => {
      const next = servers.shift()
      return next instanceof Error
        ? new Observable((out) => {
            out.error(next)
          })
        : of(next as ServerClient)
    })
    const x = exchange()
    await assert.rejects(firstValueFrom(session.connect(target, x)), /not now/)
    assert.equal(await firstValueFrom(session.connect(target, x)), dying)
    dying.isOver = true
    assert.notEqual(await firstValueFrom(session.connect(target, x)), dying)
  })

  await t.test('that is closed keeps nothing that arrives later', () => {
    const coming = new Subject<ServerClient>()
    const session = new McpSession(who, '', () => coming)
    session.connect(target, exchange()).subscribe()
    session.close()
    const late = peerOf()
    coming.next(late)
    assert.equal(late.closed(), 1)
  })

  await t.test('ends after its idle timeout, unless it has work in progress, and stays ended', async () => {
    const sessions = new SessionStore(30)
    const server = peerOf()
    const [idle, busy] = [1, 2].map(() => new McpSession(who, '', () => of(server))) as [
      McpSession,
      McpSession,
    ]
    await firstValueFrom(idle.connect(target, exchange()))
    busy.begin(1, () => undefined)
    sessions.add('idle', idle)
    sessions.add('busy', busy)
    await until(() => sessions.size === 1)
    assert.equal(server.closed(), 1)
    assert.ok(sessions.hasEnded('idle'))
    assert.equal(sessions.find('busy'), busy)
    busy.end(1)
    await until(() => sessions.size === 0)
  })

  await t.test('of another replica is lost when no server has it any more', () => {
    const session = new McpSession(who, '', () => NEVER)
    const a = peerOf({ target: 'a', about: undefined, sessionId: 'a' })
    const b = peerOf({ target: 'b', about: undefined, sessionId: 'b' })
    session.adopt(a)
    session.adopt(b)
    session.discard(a)
    assert.equal(session.isLost, false)
    session.discard(b)
    assert.equal(session.isLost, true)
  })
})

test('a session id fits into a header field, or is absent', () => {
  const ids = new SessionIds(new Keyring([randomBytes(32)]), 'b', { replica: 'r' })
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

test('calls that are pending for their client', async (t) => {
  const request: FromServer = { jsonrpc: '2.0', id: 1, method: 'roots/list' }
  const asking = (held: SuspendedCalls) => {
    const released: boolean[] = []
    let keys = ''
    const server = peerOf({
      call: () =>
        new Observable((out) => {
          out.next(request)
        }),
    })
    const outcome = firstValueFrom(
      new Observable<FromServer>((out) => {
        const call: SuspendedCall = new SuspendedCall({ method: 'tools/call' }, out, {
          lease: {
            server,
            isUsed: false,
            isShared: false,
            discard: () => undefined,
            unsolicited: { carrier: undefined, stop: () => undefined },
            release: (spoiled) => released.push(spoiled),
          },
          carriesRequests: true,
          context: noHttpContext,
          capabilities: { roots: {} },
          includesLog: false,
          onNotification: () => undefined,
          state: () => (keys = held.add(call)),
        })
        return () => {
          call.abandon(out)
        }
      }),
    )
    return { outcome, released, key: () => keys }
  }

  await t.test('are cancelled after a timeout', async () => {
    const held = new SuspendedCalls(20)
    const { outcome, released, key } = asking(held)
    await outcome
    assert.equal(held.size, 1)
    assert.deepEqual(released, [])
    await until(() => held.size === 0)
    assert.deepEqual(released, [true])
    assert.equal(held.take(key()), undefined)
  })

  await t.test('are limited in number, and refused beyond the limit', async () => {
    const held = new SuspendedCalls()
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
