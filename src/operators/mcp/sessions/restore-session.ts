import type { Owner } from '../../../../model/owner.ts'
import { isModern } from '../../../../protocols/mcp/revisions.ts'
import { reconnect } from '../servers/connect.ts'
import type { SessionIds } from './mcp-session-ids.ts'
import type { Introduction } from '../servers/handshake.ts'
import { ModernAsLegacy } from '../bridge/modern-as-legacy.ts'
import { type Peer, WirePeer } from '../servers/peer.ts'
import { McpSession } from './session.ts'
import type { McpSessions } from './sessions.ts'
import type { Resumed, Target } from '../servers/target.ts'

/**
 * Goes on with a session that began on another replica, or before a restart.
 *
 * @returns The replica that alone can go on with it; undefined if it is no session of this backend, as it is
 *   configured now, or one that its client has ended.
 */
export const restore = (
  id: string,
  sessions: McpSessions,
  ids: SessionIds,
  targets: readonly Target[],
): McpSession | Owner | undefined => {
  if (sessions.hasEnded(id)) return undefined
  const state = ids.read(id)
  if (!state) return undefined
  const elsewhere = ids.ownerElsewhere(state)
  if (elsewhere !== undefined) return elsewhere
  const byName = new Map(targets.map((target) => [target.name, target]))
  const isSame =
    state.targets.length === targets.length && state.targets.every(({ target }) => byName.has(target))
  // What this process held itself is gone with the one before it.
  if (!isSame || state.owner !== undefined) return undefined
  const who = {
    protocolVersion: state.revision,
    capabilities: state.capabilities ?? {},
    clientInfo: state.clientInfo ?? {},
  }
  const session = new McpSession(who, state.principal ?? '', reconnect)
  session.revision = state.revision
  for (const { target: name, session: sessionId, endpoint: place, revision } of state.targets) {
    const target = byName.get(name)
    if (target && revision !== undefined) session.adopt(again(target, who, { sessionId, revision, place }))
  }
  sessions.add(id, session)
  return session
}

const again = (target: Target, who: Introduction, resumed: Resumed): Peer =>
  isModern(resumed.revision)
    ? new ModernAsLegacy(target, who, undefined)
    : new WirePeer(target.name, resumed.revision, undefined, target.wire('legacy', resumed))
