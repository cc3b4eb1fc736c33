import type { BackendPolicies, SimpleBackend } from '../resources/policies.ts'

/** MCP servers behind one address. */
export interface McpBackend {
  readonly targets: readonly McpTarget[]
  readonly statefulMode: 'stateful' | 'stateless'
  /** Protocol revisions that clients may use. Undefined: all. */
  readonly protocolVersions?: readonly string[] | undefined
  /** When tool and prompt names are prefixed with the name of their server. */
  readonly prefixMode: 'conditional' | 'always' | 'never'
  /** Maximum length of prefixed names. */
  readonly maxNameLength: number
  /** Whether one failing server fails the request. */
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Lists and handshakes leave out servers that take longer. Undefined: no limit. */
  readonly partialAfterMs?: number | undefined
  /** Streams close their connection after this time, and clients reconnect for the rest. Undefined: they stay open. */
  readonly hangUpAfterMs?: number | undefined
  /** Whether `Host` and `Origin` must name this machine. Undefined: only if the listener's address is loopback. */
  readonly dnsRebindingProtection: boolean | undefined
}

/** An MCP server. */
export interface McpTarget {
  /** Lower-case letters, digits, `-` and `.`. */
  readonly name: string
  readonly connection: McpStdio | McpRemote | McpOpenApi
  /** Policies of its connection; empty for stdio and for named backends, which have their own. */
  readonly policies: BackendPolicies
  /**
   * Sessions with a server that needs them, for clients without: one per caller, one shared by all unauthenticated
   * callers, or none. Undefined: one per caller.
   */
  readonly legacy?: 'sessionPerCaller' | 'shared' | 'off' | undefined
  /** Number of idle processes kept ready for unauthenticated callers. Undefined: one. */
  readonly minIdle?: number | undefined
}

/** A server that is a child process. */
export interface McpStdio {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Whether the child starts without the environment of the gateway. */
  readonly clearEnv: boolean
}

/** A server over streamable HTTP, or over the older HTTP+SSE transport. */
export interface McpRemote {
  readonly kind: 'http' | 'sse'
  readonly destination: SimpleBackend
  /** Path and query. */
  readonly path: string
}

/** An OpenAPI interface whose operations become tools. */
export interface McpOpenApi {
  readonly kind: 'openapi'
  readonly destination: SimpleBackend
  /** Prefix of the document's paths, without a trailing slash. Empty: taken from its `servers`. */
  readonly prefix: string
  /** Read with the configuration, or fetched at first use. */
  readonly document: { readonly parsed: unknown } | { readonly url: string }
}
