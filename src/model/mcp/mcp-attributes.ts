/** Attributes of an MCP request. The object is replaced when more is known; what does not apply is absent. */
export interface McpAttributes {
  /** JSON-RPC method, such as `tools/call`. */
  readonly methodName?: string | undefined
  /** The session id as sent to the client. It grants access to the session, so it must not be logged. */
  readonly sessionId?: string | undefined
  /** The only target that it is sent to. */
  readonly target?: string | undefined
  /** The kind of item that it names or lists. */
  readonly kind?: McpKind | undefined
  readonly tool?: McpToolAttributes | undefined
  readonly prompt?: McpObjectAttributes | undefined
  readonly resource?: McpObjectAttributes | undefined
  readonly task?: McpObjectAttributes | undefined
  /** The error that ended it; undefined before, and after success. */
  readonly error?: McpErrorAttributes | undefined
  /** Whether a server has confirmed that the named item exists. */
  readonly isKnown?: boolean | undefined
}

/** The kinds of items of a server. */
export type McpKind = 'tool' | 'prompt' | 'resource' | 'task'

/** An item of a target. */
export interface McpObjectAttributes {
  /** Name of the target it belongs to. */
  readonly target?: string | undefined
  /** The target's own name: the URI of a resource, the id of a task. */
  readonly name?: string | undefined
}

/** The tool of a call. Arguments, result and error are immutable once set. */
export interface McpToolAttributes extends McpObjectAttributes {
  readonly arguments?: object | undefined
  readonly result?: unknown
  readonly error?: unknown
}

/** A JSON-RPC error, of a server or of the gateway. */
export interface McpErrorAttributes {
  readonly code: number
  readonly message: string
}
