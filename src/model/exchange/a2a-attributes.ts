/** Marks a backend as an A2A agent. It has no options. */
export type A2a = Readonly<Record<string, never>>

/** Attributes of an A2A call, for logs and traces. Filled in as the response passes. */
export class A2aAttributes {
  /** JSON-RPC method; undefined for other requests to an agent, such as for its card. */
  readonly method: string | undefined
  outcome: 'success' | 'error' | undefined = undefined
  errorCode: number | undefined = undefined
  /** Of the last result: `task`, `message`, `status-update` or `artifact-update`. */
  kind: string | undefined = undefined
  /** The last one in the response. */
  taskState: string | undefined = undefined
  contextId: string | undefined = undefined

  constructor(method: string | undefined) {
    this.method = method
  }
}
