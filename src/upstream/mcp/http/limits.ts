/** Limits of an HTTP transport. */
export interface HttpTransportLimits {
  /** Size of one message or batch. */
  readonly messageBytes: number
  /** Bytes kept of the body of a refusal. */
  readonly refusalBytes: number
  /** Time for the body of a refusal, and for the end of a stream after its last message. */
  readonly restMs: number
  /** Delay before a stream is reopened if the server stated none; doubled for each connection without events. */
  readonly reconnectMs: number
  /** Maximum of that delay. */
  readonly reconnectMostMs: number
  /** Connections in a row without events before a pending call fails. */
  readonly reconnects: number
  /** Time for the `endpoint` event of HTTP+SSE. */
  readonly endpointMs: number
  /** Messages buffered until then, and messages of the server buffered for a listener. */
  readonly waiting: number
}

/** Defaults. */
export const httpTransportLimits: HttpTransportLimits = {
  messageBytes: 16 * 1024 * 1024,
  refusalBytes: 65_536,
  restMs: 1_000,
  reconnectMs: 1_000,
  reconnectMostMs: 30_000,
  reconnects: 10,
  endpointMs: 10_000,
  waiting: 100,
}
