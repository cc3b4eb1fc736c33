import type { Owner } from '../../../model/resources/replica.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import { reconnect } from '../servers/connect.ts'
import type { SessionIds } from './session-ids.ts'
import type { Introduction } from '../servers/handshake.ts'
import { ModernAsLegacy } from '../bridge/modern-as-legacy.ts'
import { type ServerClient, TransportClient } from '../servers/server-client.ts'
import { McpSession } from './session.ts'
import type { SessionStore } from './session-store.ts'
import type { Resumed, Target } from '../servers/target.ts'

/**
 * Continues a session that began on another replica, or before a restart.
 *
 * @returns The replica that alone can continue it; undefined if it is no session of this backend as configured now, or
 * its client has ended it.
 */
export const restore = (
  id: string,
  sessions: SessionStore,
  ids: SessionIds,
  targets: readonly Target[],
): McpSession | Owner | undefined => {
  if (sessions.hasEnded(id)) return undefined
  const state = ids.read(id)
  if (!state) return undefined
  const owner = ids.otherOwner(state)
  if (owner !== undefined) return owner
  const byName = new Map(targets.map((target) => [target.name, target]))
  const isSame =
    state.targets.length === targets.length && state.targets.every(({ target }) => byName.has(target))
  // State in an earlier process is gone.
  if (!isSame || state.owner !== undefined) return undefined
  const who = {
    protocolVersion: state.revision,
    capabilities: state.capabilities ?? {},
    clientInfo: state.clientInfo ?? {},
  }
  const session = new McpSession(who, state.principal ?? '', reconnect)
  session.revision = state.revision
  for (const { target: name, session: sessionId, endpoint: endpointAddress, revision } of state.targets) {
    const target = byName.get(name)
    if (target && revision !== undefined)
      session.adopt(resumedClient(target, who, { sessionId, revision, endpointAddress }))
  }
  sessions.add(id, session)
  return session
}

const resumedClient = (target: Target, who: Introduction, resumed: Resumed): ServerClient =>
  isModern(resumed.revision)
    ? new ModernAsLegacy(target, who, undefined)
    : new TransportClient(target.name, resumed.revision, undefined, target.createTransport('legacy', resumed))
