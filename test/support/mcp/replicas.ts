import { McpCaller } from './mcp-caller.ts'
import { type McpRoute, type McpRoutes, startMcpRoutes } from './mcp-routes.ts'
import { openReplicaDoor, type ReplicaDoor } from './replica-door.ts'
import { startRoundRobin } from './round-robin.ts'

/** One of several gateways with the same routes, and the door by which the others reach it. */
export interface Replica extends McpRoutes {
  readonly door: ReplicaDoor
}

/** Two of them behind a balancer that gives each request to the next. */
export interface Replicas extends AsyncDisposable {
  readonly all: readonly [Replica, Replica]
  /** A client that comes through the balancer. */
  client(name: string, fields?: Record<string, string>): McpCaller
}

/** Starts them. Without `addressed` they have a key only. */
export const startReplicas = async (
  routes: Readonly<Record<string, McpRoute>>,
  { addressed = true }: { readonly addressed?: boolean } = {},
): Promise<Replicas> => {
  const stack = new AsyncDisposableStack()
  const start = async (): Promise<Replica> => {
    const door = stack.use(await openReplicaDoor())
    const session = { key: '0123456789abcdef'.repeat(4), ...(addressed && { address: door.origin }) }
    const started = stack.use(await startMcpRoutes(routes, { session }))
    door.leadTo(started.daemon.url('default'))
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
