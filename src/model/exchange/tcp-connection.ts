import type { Connection } from './connection.ts'
import type { Reason } from './fault.ts'
import type { BackendLabels, RouteLabels, Snapshot } from '../resources/snapshot.ts'

/** A raw connection on its way through the gateway: to the log and the metrics, what an exchange is for a request. */
export class TcpSession {
  readonly connection: Connection
  /** The configuration it was admitted under, for life. */
  readonly snapshot: Snapshot
  /** The name that the client asked for in a TLS handshake, whoever does that handshake. */
  readonly serverName: string | undefined
  /** Bind and listener at first, the route too once it is known. */
  labels: RouteLabels
  backend: BackendLabels | undefined = undefined
  /** Address of the upstream dialled last, `host:port`. */
  endpoint: string | undefined = undefined
  /** `performance.now()` when it began, when the upstream was dialled, and when both sides were closed; 0 before. */
  readonly startedAt = performance.now()
  upstreamStartedAt = 0
  endedAt = 0
  /** Bytes sent to the client. */
  sentBytes = 0
  /** `Upstream` once connected, or why it never was; undefined if the client left before either. */
  reason: Reason | undefined = undefined
  /** The finer word for why there is no connection. */
  code: string | undefined = undefined
  /** Why it was refused, or did not end by itself. */
  error: string | undefined = undefined

  constructor(
    connection: Connection,
    snapshot: Snapshot,
    labels: RouteLabels,
    serverName: string | undefined,
  ) {
    this.connection = connection
    this.snapshot = snapshot
    this.labels = labels
    this.serverName = serverName
  }
}
