import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { ClientConnection } from '../../streams/http/connection/client-connection.ts'
import type { ActiveExchange } from '../../streams/http/connection/connection-activity.ts'
import type { ActivePort } from '../../streams/http/port/ports.ts'
import { initialMembers } from '../initial-members.ts'
import { OldestOf } from './oldest-of.ts'

/** Exchanges that are listed, and connections: the oldest. */
export const TASK_LIMIT = 1_000

/** What reports have of a connection, or of the client of a session of datagrams. */
export type ReportedConnection = Pick<
  ClientConnection,
  'sourceAddress' | 'sourcePort' | 'labels' | 'tls' | 'startedAt'
> & { readonly driver: Pick<NonNullable<ClientConnection['driver']>, 'activity'> | undefined }

/** An exchange, a raw connection or a session of datagrams, and where it was found. */
export type FoundWork = { readonly port: ActivePort; readonly connection: ReportedConnection } & (
  { readonly exchange: ActiveExchange } | { readonly session: RawSession }
)

/** A connection without an exchange. */
export interface FoundConnection {
  readonly port: ActivePort
  readonly connection: ClientConnection
  /** Requests that are no exchanges yet. */
  readonly pendingRequests: number
}

/** What a scan found. */
export interface Scan {
  readonly busy: OldestOf<FoundWork>
  readonly idle: OldestOf<FoundConnection>
  readonly connections: number
}

/**
 * Visits every connection, and keeps the oldest exchanges and the oldest connections without one; a step for each
 * connection. Connections that come or go meanwhile may be missing.
 */
export function* scanConnections(ports: readonly ActivePort[]): Generator<undefined, Scan> {
  const busy = new OldestOf<FoundWork>(TASK_LIMIT)
  const idle = new OldestOf<FoundConnection>(TASK_LIMIT)
  let connections = 0
  for (const port of ports) {
    for (const connection of initialMembers(port.connections)) {
      connections++
      const activity = connection.driver?.activity()
      if (activity?.protocol !== 'raw') {
        const { exchanges = [], pendingRequests = 0 } = activity ?? {}
        for (const exchange of exchanges)
          busy.add(exchange.x.request.startedAt, { port, connection, exchange })
        if (exchanges.length === 0) idle.add(connection.startedAt, { port, connection, pendingRequests })
      }
      yield undefined
    }
    for (const driver of initialMembers(port.raw)) {
      const activity = driver.activity()
      if (activity.protocol === 'raw') {
        const { session } = activity
        busy.add(session.startedAt, {
          port,
          connection: session.connection as unknown as ReportedConnection,
          session,
        })
      }
      yield undefined
    }
  }
  return { busy, idle, connections }
}
