/** What a wire over HTTP bears from a server. */
export interface HttpWireLimits {
  /** Of one message, or of one batch. */
  readonly messageBytes: number
  /** How much of the body of a refusal is kept. */
  readonly refusalBytes: number
  /** How long the body of a refusal may take, and the end of a stream that has said its last word. */
  readonly restMs: number
  /** Before a stream is opened again if the server named no time; doubled for every connection that brought nothing. */
  readonly reconnectMs: number
  /** It is doubled up to here. */
  readonly reconnectMostMs: number
  /** Connections in a row that may bring nothing, before an open call is given up. */
  readonly reconnects: number
  /** Until a server of the older transport says where it takes messages. */
  readonly endpointMs: number
  /** How many messages wait for that, and how many of the server's wait for a listener. */
  readonly waiting: number
}

/** What a wire gets if nothing else is said. */
export const httpWireLimits: HttpWireLimits = {
  messageBytes: 16 * 1024 * 1024,
  refusalBytes: 65_536,
  restMs: 1_000,
  reconnectMs: 1_000,
  reconnectMostMs: 30_000,
  reconnects: 10,
  endpointMs: 10_000,
  waiting: 100,
}
