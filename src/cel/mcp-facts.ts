/** What is known of an MCP call. Filled in as the call goes on; absent what does not concern it. */
export interface McpFacts {
  /** JSON-RPC method, such as `tools/call`. */
  readonly methodName?: string | undefined
  readonly sessionId?: string | undefined
  readonly tool?: McpToolFacts | undefined
  readonly prompt?: McpObjectFacts | undefined
  readonly resource?: McpObjectFacts | undefined
  readonly task?: McpObjectFacts | undefined
}

/** Something that a target offers. */
export interface McpObjectFacts {
  /** Name of the target it belongs to. */
  readonly target?: string | undefined
  /** As the target calls it. */
  readonly name?: string | undefined
}

/** A tool that is called. Arguments, result and error do not change once they are there. */
export interface McpToolFacts extends McpObjectFacts {
  readonly arguments?: object | undefined
  readonly result?: unknown
  readonly error?: unknown
}
