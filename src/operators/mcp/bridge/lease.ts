import type { ServerClient } from '../servers/server-client.ts'
import type { UnsolicitedRequests } from './unsolicited-requests.ts'

/** A session with a server, leased for one request. */
export interface Lease {
  readonly server: ServerClient
  /** It served another request before: the server may have dropped it. */
  readonly isUsed: boolean
  /** Other callers use it at the same time: the server can send requests to none of them, and no caller ends it. */
  readonly isShared: boolean
  /** Requests that the server sends outside of responses. */
  readonly unsolicited: Pick<UnsolicitedRequests, 'carrier' | 'stop'>
  /** Releases the session; `spoiled` if it must not be used again. */
  release(spoiled: boolean): void
  /** The server has dropped the session. */
  discard(): void
}
