import { McpCaller } from './mcp-caller.ts'
import { type McpRoute, type McpRoutes, startMcpRoutes } from './mcp-routes.ts'
import { openReplicaRelay, type ReplicaRelay } from './replica-relay.ts'
import { startRoundRobin } from './round-robin.ts'

/** One of several gateways with the same routes, and its address for the others. */
export interface Replica extends McpRoutes {
  readonly door: ReplicaRelay
}

/** Two of them behind a round-robin load balancer. */
export interface Replicas extends AsyncDisposable {
  readonly all: readonly [Replica, Replica]
  /** A client behind the load balancer. */
  client(name: string, fields?: Record<string, string>): McpCaller
}

/** Starts them. Without `addressed` they have only a key. */
export const startReplicas = async (
  routes: Readonly<Record<string, McpRoute>>,
  { addressed = true }: { readonly addressed?: boolean } = {},
): Promise<Replicas> => {
  const stack = new AsyncDisposableStack()
  const start = async (): Promise<Replica> => {
    const door = stack.use(await openReplicaRelay())
    const session = { key: '0123456789abcdef'.repeat(4), ...(addressed && { address: door.origin }) }
    const started = stack.use(await startMcpRoutes(routes, { session }))
    door.relayTo(started.daemon.url('default'))
    return { ...started, door }
  }
  const all = [await start(), await start()] as const
  const { origin } = stack.use(await startRoundRobin(all.map(({ daemon }) => daemon.url('default'))))
  return {
    all,
    client: (name, fields) => new McpCaller(`${origin}/${name}/mcp`, fields),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
