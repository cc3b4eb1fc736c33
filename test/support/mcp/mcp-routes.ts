import { anyLag } from '../any-lag.ts'
import { anyPorts, type Daemon, type DaemonOptions, startDaemon } from '../daemon.ts'
import { McpCaller } from './mcp-caller.ts'
import type { Target } from './mcp-daemon.ts'

/** One backend: its targets, other fields, and policies of its route. */
export interface McpRoute {
  readonly targets: readonly Target[]
  readonly mcp?: Readonly<Record<string, unknown>>
  readonly policies?: Readonly<Record<string, unknown>>
}

export interface McpRoutes extends AsyncDisposable {
  readonly daemon: Daemon
  /** A client of the backend with this name. */
  client(name: string, fields?: Record<string, string>): McpCaller
  /** The address for its clients. */
  url(name: string): string
}

/** Starts a daemon with several MCP backends, each with its name as the base path. */
export const startMcpRoutes = async (
  routes: Readonly<Record<string, McpRoute>>,
  config: Readonly<Record<string, unknown>> = {},
  options: DaemonOptions = {},
): Promise<McpRoutes> => {
  const settings = Object.entries(config).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`)
  const listed = Object.entries(routes).map(([name, { targets, mcp, policies }]) => ({
    name,
    matches: [{ path: { pathPrefix: `/${name}` } }],
    ...(policies && { policies }),
    backends: [{ mcp: { ...mcp, targets } }],
  }))
  const daemon = await startDaemon(
    `${anyPorts}${settings.join('')}${anyLag}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes: ${JSON.stringify(listed)}
`,
    options,
  )
  const url = (name: string): string => `${daemon.url('default')}/${name}/mcp`
  return {
    daemon,
    url,
    client: (name, fields) => new McpCaller(url(name), fields),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}
