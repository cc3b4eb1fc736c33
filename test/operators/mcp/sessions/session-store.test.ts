import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER } from 'rxjs'
import { McpSession } from '../../../../src/operators/mcp/sessions/session.ts'
import { SessionStore } from '../../../../src/operators/mcp/sessions/session-store.ts'

const DAY_MS = 86_400_000

const sessionUsed = (agoMs: number): McpSession => {
  const who = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }
  const session = new McpSession(who, '', () => NEVER)
  session.usedAtMs = performance.now() - agoMs
  return session
}

test('evicting sessions', async (t) => {
  await t.test('ends the one that has been idle for longest', async () => {
    const sessions = new SessionStore(DAY_MS)
    sessions.add('young', sessionUsed(40_000))
    sessions.add('old', sessionUsed(90_000))
    assert.ok(sessions.makeRoom())
    assert.equal(sessions.find('old'), undefined)
    assert.ok(sessions.hasEnded('old'))
    assert.ok(sessions.find('young'))
    await sessions.destroy()
  })

  await t.test('spares those with recent requests, requests in progress, or streams', async () => {
    const sessions = new SessionStore(DAY_MS)
    sessions.add('fresh', sessionUsed(1_000))
    const busy = sessionUsed(90_000)
    busy.begin(1, () => undefined)
    sessions.add('busy', busy)
    const listening = sessionUsed(90_000)
    const stream = listening.stream([NEVER]).subscribe()
    sessions.add('listening', listening)
    assert.ok(!sessions.makeRoom())
    assert.equal(sessions.size, 3)
    stream.unsubscribe()
    assert.ok(sessions.makeRoom())
    assert.equal(sessions.find('listening'), undefined)
    await sessions.destroy()
  })
})
