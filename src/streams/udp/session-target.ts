import type { FrontendPolicies, FrontendUdp } from '../../model/resources/frontend-policies.ts'
import type { CompiledBind, UdpTarget } from '../../model/resources/snapshot.ts'
import type { DatagramDropReason } from './datagram-drop.ts'
import type { DatagramSessions } from './datagram-sessions.ts'
import type { UdpClient } from './udp-flow.ts'

/** Why a datagram begins no session. */
export interface Refusal {
  readonly drop: DatagramDropReason
  readonly fields?: Readonly<Record<string, unknown>>
}

/** A datagram of an address and port without a session. */
export interface FirstDatagram {
  readonly client: UdpClient
  /** How often it has passed this process, this time included. */
  readonly hops: number
  /** Number of sessions of the port. */
  readonly open: number
  /** Whether the port accepts no further sessions. */
  readonly isRetired: boolean
}

/** The settings of sessions. */
export const udpSettings = ({ udp }: FrontendPolicies): FrontendUdp => udp ?? DEFAULTS

const DEFAULTS: FrontendUdp = { idleTimeoutMs: 60_000, maxSessions: 10_000 }

/**
 * The target of a new session, or why there is none. Clients that are refused take no place among the sessions, so that
 * they cannot keep others out.
 */
export const sessionTarget = (
  { connections, frontend, listeners: [listener] }: CompiledBind,
  sessions: DatagramSessions,
  { client, hops, open, isRetired }: FirstDatagram,
): UdpTarget | Refusal => {
  const { maxSessions } = udpSettings(frontend)
  const { maxHops } = frontend.http
  if (isRetired) return { drop: 'draining' }
  if (connections?.admit(client, undefined) === false) return { drop: 'authorization' }
  if (hops > (maxHops || Number.MAX_VALUE)) return { drop: 'loop', fields: { maxHops } }
  if (open >= maxSessions) return { drop: 'max_sessions', fields: { maxSessions } }
  if (sessions.isExhausted) return { drop: 'open_files', fields: { sessions: sessions.limit } }
  const target = listener?.udp?.pick(client)
  if (!target) return { drop: 'route_not_found' }
  if (!('fault' in target)) return target
  return { drop: 'no_backend', fields: { route: target.labels.route, error: target.fault.message } }
}
