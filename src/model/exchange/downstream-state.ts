/**
 * Sends informational responses to the client. An object, not a function: with a closure stored in each exchange, V8
 * kept exchanges alive until the next major collection, which cost 11 µs a request.
 */
export interface InformationalSink {
  /** Sends one. False if the client reads too slowly: `resume` is called when it has caught up. */
  sendInformational(status: number, headers: readonly string[], resume: () => void): boolean
}

/** The reply on its way to the client. Times are those of `performance.now()`; 0 before. */
export class DownstreamState {
  /** The head has been sent: too late for another reply. */
  committed = false
  /** When the head was sent; 0 for an upgrade over HTTP/1.1. */
  committedAt = 0
  /** Body bytes sent to the client. */
  sentBytes = 0
  /** Why the reply ended early after its head had been sent, such as `client left`. */
  truncatedBy: string | undefined = undefined
  /** After the last byte. */
  endedAt = 0
  /** Takes 1xx responses for the client; set by the sink. */
  informationalSink: InformationalSink | undefined = undefined
}
