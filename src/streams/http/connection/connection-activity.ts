import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { RawSession } from '../../../model/exchange/raw-session.ts'

/** What a connection does at a moment. */
export type ConnectionActivity =
  | {
      readonly protocol: 'HTTP/1.1' | 'HTTP/2'
      readonly exchanges: readonly ActiveExchange[]
      /** Requests that were received, or are being received, and are not exchanges yet. */
      readonly pendingRequests: number
    }
  | { readonly protocol: 'raw'; readonly session: RawSession }

/** An exchange of a connection. */
export interface ActiveExchange {
  readonly x: Exchange
  /** The stream of HTTP/2. */
  readonly streamId: number | undefined
  /** The end of the request has not been received. */
  readonly isReceiving: boolean
  /** The client does not read: bytes for it are buffered. */
  readonly isBlocked: boolean
}
