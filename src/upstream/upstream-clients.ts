/** Sockets of one client of an upstream. */
export interface UpstreamSockets {
  /** Open connections. */
  readonly open: number
  /** Open connections that serve no call. */
  readonly idle: number
  /** Calls under way on them. */
  readonly calls: number
  /** Calls that wait for a connection. */
  readonly pendingCalls: number
}

/** A client with connections to one endpoint or service. */
export interface UpstreamClient {
  readonly kind: 'http' | 'grpc'
  /** `host:port` or `unix:/path`, as in logs and traces. */
  readonly name: string
  /** Its sockets now. Pauses so that the work can be sliced. */
  sockets(): Generator<undefined, UpstreamSockets>
}

const clients = new Set<UpstreamClient>()

/** The clients of this process that are not closed, oldest first. The set changes while it is iterated. */
export const upstreamClients: ReadonlySet<UpstreamClient> = clients

/**
 * Lists a client until `unlistClient`. As the work of `beginWork`, it belongs to the process, so that clients of every
 * kind and purpose are listed, health checks included.
 */
export const listClient = (client: UpstreamClient): void => {
  clients.add(client)
}

/** A client is closed. */
export const unlistClient = (client: UpstreamClient): void => {
  clients.delete(client)
}

/** Sums of sockets. */
export const addSockets = (one: UpstreamSockets, other: UpstreamSockets): UpstreamSockets => ({
  open: one.open + other.open,
  idle: one.idle + other.idle,
  calls: one.calls + other.calls,
  pendingCalls: one.pendingCalls + other.pendingCalls,
})

/** No sockets. */
export const noSockets: UpstreamSockets = { open: 0, idle: 0, calls: 0, pendingCalls: 0 }
