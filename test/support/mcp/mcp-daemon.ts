import { anyPorts, type Daemon, startDaemon } from '../daemon.ts'

/** A daemon whose only route is a backend of MCP servers. */
export interface McpDaemon extends AsyncDisposable {
  readonly daemon: Daemon
  readonly origin: string
  /** The address for MCP clients. */
  readonly url: string
}

/** A target in the form of the configuration. */
export type Target = { readonly name: string } & Readonly<Record<string, unknown>>

export interface McpDaemonOptions {
  /** Further fields of the backend, such as `statefulMode`. */
  readonly mcp?: Readonly<Record<string, unknown>>
  /** Further fields of the section `config`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Further sections. */
  readonly root?: Readonly<Record<string, unknown>>
  /** Policies of the route. */
  readonly policies?: Readonly<Record<string, unknown>>
}

/** Starts it in front of some targets. */
export const startMcpDaemon = async (
  targets: readonly Target[],
  { mcp = {}, config = {}, root = {}, policies }: McpDaemonOptions = {},
): Promise<McpDaemon> => {
  const daemon = await startDaemon(`${anyPorts}${Object.entries(config)
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`)
    .join('')}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
  - ${policies === undefined ? '' : `policies: ${JSON.stringify(policies)}\n    `}backends:
      - mcp: ${JSON.stringify({ ...mcp, targets })}
${Object.entries(root)
  .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  .join('')}`)
  const origin = daemon.url('default')
  return {
    daemon,
    origin,
    url: `${origin}/mcp`,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

/** A target with streamable HTTP. */
export const httpTarget = (name: string, url: string): Target => ({ name, mcp: { host: url } })

/** A target with the older transport. */
export const sseTarget = (name: string, origin: string): Target => ({ name, sse: { host: `${origin}/sse` } })

/** A target that is a program, run by this Node. */
export const programTarget = (name: string, ...args: readonly string[]): Target => ({
  name,
  stdio: { cmd: process.execPath, args },
})

const everything = new URL('everything-stdio.ts', import.meta.url).pathname

/** The fixture as a child of the gateway. */
export const everythingTarget = (name: string, era: 'both' | 'legacy' | 'modern' = 'both'): Target =>
  programTarget(name, '--conditions=agentgateway-source', everything, '--era', era)
