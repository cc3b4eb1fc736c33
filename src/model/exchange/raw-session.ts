import type { Connection } from './connection.ts'
import type { Reason } from './fault.ts'
import type { FrontendPolicies } from '../resources/frontend-policies.ts'
import type { BackendLabels, RouteLabels, Snapshot } from '../resources/snapshot.ts'

/** Bytes or datagrams that pass as they are: the counterpart of an exchange in logs and metrics. */
export abstract class RawSession {
  abstract readonly transport: 'tcp' | 'udp'
  readonly connection: Connection
  /** The configuration it was admitted under, to its end. */
  readonly snapshot: Snapshot
  /** The frontend policies of its listener, or of the port if it has none. */
  readonly frontend: FrontendPolicies
  /** The SNI of the TLS handshake, whether the gateway terminates TLS or passes it through. */
  readonly serverName: string | undefined
  /** Bind and listener at first, and the route once it is known. */
  labels: RouteLabels
  backend: BackendLabels | undefined = undefined
  /** Address of the upstream dialled last, `host:port`. */
  endpoint: string | undefined = undefined
  /** `performance.now()` of the start, of the dial of the upstream, and of the end of both sides; 0 before. */
  readonly startedAt = performance.now()
  upstreamStartedAt = 0
  endedAt = 0
  /** Bytes sent to the client. */
  sentBytes = 0
  /** `Upstream` once connected, or why it never connected; undefined if the client left before either. */
  reason: Reason | undefined = undefined
  /** A more specific code for why there is no connection. */
  code: string | undefined = undefined
  /** Why it was refused or cut. */
  error: string | undefined = undefined

  constructor(
    connection: Connection,
    snapshot: Snapshot,
    labels: RouteLabels,
    serverName: string | undefined,
    frontend: FrontendPolicies = snapshot.resources.frontend,
  ) {
    this.connection = connection
    this.snapshot = snapshot
    this.labels = labels
    this.serverName = serverName
    this.frontend = frontend
  }
}
