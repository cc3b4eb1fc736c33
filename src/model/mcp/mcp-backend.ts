import type { BackendPolicies, SimpleBackend } from '../resources/policies.ts'

/** MCP servers behind one address. */
export interface McpBackend {
  readonly targets: readonly McpTarget[]
  readonly statefulMode: 'stateful' | 'stateless'
  /** The revisions that clients may have. Undefined: all. */
  readonly protocolVersions?: readonly string[] | undefined
  /** When names of tools and prompts get the name of their server as prefix. */
  readonly prefixMode: 'conditional' | 'always' | 'never'
  /** How long names with a prefix may be. */
  readonly maxNameLength: number
  /** Whether one failing server fails all. */
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Lists and handshakes do without servers that take longer. Undefined: they wait. */
  readonly partialAfterMs?: number | undefined
  /** Answers let go of their connection after so long, and clients come back for the rest. Undefined: they hold it. */
  readonly hangUpAfterMs?: number | undefined
  /** Whether `Host` and `Origin` must name this machine. Undefined: if the listener's address is loopback. */
  readonly dnsRebindingProtection: boolean | undefined
}

/** An MCP server. */
export interface McpTarget {
  /** Lower-case letters, digits, `-` and `.`. */
  readonly name: string
  readonly connection: McpStdio | McpRemote | McpOpenApi
  /** How it is connected to; empty for stdio and for backends by name, which have their own. */
  readonly policies: BackendPolicies
  /**
   * What clients without sessions get if it needs them: sessions of their own, one with all others that nobody identified,
   * or none. Undefined: of their own.
   */
  readonly legacy?: 'sessionPerCaller' | 'shared' | 'off' | undefined
  /** How many programs are kept ready for callers that nobody identified. Undefined: one. */
  readonly minIdle?: number | undefined
}

/** A server that is a child process. */
export interface McpStdio {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** It starts without the environment of the gateway. */
  readonly clearEnv: boolean
}

/** A server over HTTP: streamable, or the older transport with an event stream beside it. */
export interface McpRemote {
  readonly kind: 'http' | 'sse'
  readonly destination: SimpleBackend
  /** Path and query. */
  readonly path: string
}

/** An HTTP interface whose operations become tools. */
export interface McpOpenApi {
  readonly kind: 'openapi'
  readonly destination: SimpleBackend
  /** Before the paths of the document, without a slash at its end. Empty: what its `servers` say. */
  readonly prefix: string
  /** Read when the configuration was, or fetched when it is first needed. */
  readonly document: { readonly parsed: unknown } | { readonly url: string }
}
