import { pipe } from 'rxjs'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { Keyring } from '../../protocols/seal/aead-keyring.ts'
import type { Closable } from '../../upstream/draining.ts'
import type { StdioLine } from '../../upstream/mcp/stdio/stderr.ts'
import { mcpRuntime } from '../../upstream/mcp/mcp-runtime.ts'
import type { CompiledRule } from '../authorization/exchange-rule.ts'
import { assembleMcp, type McpSettings } from './assemble.ts'
import { codeTarget, type McpServer } from './servers/code-target.ts'

/** Options of an MCP backend. Defaults are those of the configuration. */
export interface McpBackendOptions extends Partial<McpSettings> {
  /** Used in labels and logs. Session ids are valid for the backend of this name only. */
  readonly name?: string
  /** Rules for tools, prompts and resources: what they refuse is neither listed nor called. */
  readonly rules?: readonly CompiledRule[]
  /** Seals session ids. Processes with the same keys continue each other's sessions; by default the key is random. */
  readonly sealing?: Keyring
  /** Milliseconds after which an idle session ends. */
  readonly sessionTtlMs?: number
  /** Limit of a client's message, in bytes. */
  readonly limitBytes?: number
  /** Whether `Host` and `Origin` must name this machine. By default: for connections to a loopback address. */
  readonly dnsRebindingProtection?: boolean
  /** Called with each line that programs write to stderr, and with remarks on them. */
  readonly onLine?: (line: StdioLine) => void
}

/** The operator; closing it ends sessions and programs. */
export type McpBackendOperator = Operator & AsyncDisposable & { close(): Promise<void> }

/**
 * Serves MCP clients of every revision from one or several MCP servers of any revision, as one server. The last stage of
 * a pipeline, as `backend` is. Nothing is connected, and no program started, before the first request.
 *
 * @throws TypeError for no server, two of one name, or a `url` that is none.
 * @example
 * const weather = upstreamOf('https://mcp.example.com')
 * await using tools = mcpBackend([
 *   { name: 'weather', url: 'https://mcp.example.com/mcp', upstream: weather },
 *   { name: 'files', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv'] },
 * ])
 * const pipeline = rescue(tools, faultReply())
 */
export const mcpBackend = (
  servers: readonly McpServer[],
  options: McpBackendOptions = {},
): McpBackendOperator => {
  const { name = 'mcp', rules = [], sessionTtlMs, onLine, dnsRebindingProtection } = options
  checkNames(servers)
  const runtime = mcpRuntime({
    ...(sessionTtlMs !== undefined && { sessionTtlMs }),
    ...(onLine && { log: onLine }),
    sessionsMove: options.sealing !== undefined,
  })
  const kept: Closable[] = []
  const keep = <T extends Closable>(_name: string, make: () => T): T => {
    const made = make()
    kept.push(made)
    return made
  }
  const { call } = assembleMcp({
    ...{ name, rules, guards: undefined, runtime, keep },
    targets: servers.map((server) => codeTarget(server, runtime, keep)),
    settings: { ...usual, ...options },
    ring: options.sealing ?? Keyring.of([]),
    replicas: () => {
      throw new Error('an MCP backend made in code has no replicas')
    },
    limitBytes: options.limitBytes ?? DEFAULT_BUFFER_BYTES,
    isGuarded: ({ request }) => dnsRebindingProtection ?? isLoopback(request.connection.destinationAddress),
  })
  const close = async (): Promise<void> => {
    await Promise.all(kept.map((one) => one.close()))
    await runtime.children.none()
  }
  return Object.assign(pipe(call), { close, [Symbol.asyncDispose]: close })
}

const usual: McpSettings = {
  statefulMode: 'stateful',
  prefixMode: 'conditional',
  maxNameLength: 64,
  failureMode: 'failClosed',
}

const checkNames = (servers: readonly McpServer[]): void => {
  const [first] = servers
  if (!first) throw new TypeError('an MCP backend needs a server')
  const names = servers.map(({ name }) => name)
  for (const name of names)
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name))
      throw new TypeError(`"${name}" is no name of a server: write lower-case letters, digits, "-" and "."`)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new TypeError(`two servers are called "${twice}"`)
}

const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
