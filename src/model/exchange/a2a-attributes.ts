/** Says that the other side is an A2A agent. There is nothing to be chosen. */
export type A2a = Readonly<Record<string, never>>

/** What is known of an A2A call, for logs and traces. Filled in as its answer goes by. */
export class A2aAttributes {
  /** JSON-RPC method; undefined for other requests to an agent, such as for its card. */
  readonly method: string | undefined
  outcome: 'success' | 'error' | undefined = undefined
  errorCode: number | undefined = undefined
  /** Of the last result: `task`, `message`, `status-update` or `artifact-update`. */
  kind: string | undefined = undefined
  /** The last one that was told. */
  taskState: string | undefined = undefined
  contextId: string | undefined = undefined

  constructor(method: string | undefined) {
    this.method = method
  }
}
