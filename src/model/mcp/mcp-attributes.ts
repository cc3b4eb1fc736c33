/** What is known of an MCP request. Replaced as a whole when more is known; absent what does not concern it. */
export interface McpAttributes {
  /** JSON-RPC method, such as `tools/call`. */
  readonly methodName?: string | undefined
  /** The session as its client names it. Whoever has it may use the session: it is not for logs. */
  readonly sessionId?: string | undefined
  /** The one target that it goes to. */
  readonly target?: string | undefined
  /** What it is about, or what it lists. */
  readonly kind?: McpKind | undefined
  readonly tool?: McpToolAttributes | undefined
  readonly prompt?: McpObjectAttributes | undefined
  readonly resource?: McpObjectAttributes | undefined
  readonly task?: McpObjectAttributes | undefined
  /** How it ended; undefined before, and if it went well. */
  readonly error?: McpErrorAttributes | undefined
  /** Whether a server has answered that it knows what the request names. */
  readonly isKnown?: boolean | undefined
}

/** What a server may have. */
export type McpKind = 'tool' | 'prompt' | 'resource' | 'task'

/** Something that a target offers. */
export interface McpObjectAttributes {
  /** Name of the target it belongs to. */
  readonly target?: string | undefined
  /** As the target calls it: the URI of a resource, the id of a task. */
  readonly name?: string | undefined
}

/** A tool that is called. Arguments, result and error do not change once they are there. */
export interface McpToolAttributes extends McpObjectAttributes {
  readonly arguments?: object | undefined
  readonly result?: unknown
  readonly error?: unknown
}

/** An error of JSON-RPC, be it a server's or the gateway's own. */
export interface McpErrorAttributes {
  readonly code: number
  readonly message: string
}
