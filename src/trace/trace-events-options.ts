import type { FetchLike } from 'eventsource'

/** What to watch, and how. */
export interface TraceEventsOptions {
  /** A CEL expression that selects the requests. */
  readonly expression?: string
  /** How many requests to watch, 1 to 100,000. Default 1. */
  readonly count?: number
  /** Watches all requests, and connects again when the connection breaks. Default false. */
  readonly follow?: boolean
  /** With the first 64 KiB of each body. Default false. */
  readonly bodies?: boolean
  /** Bearer token of the admin server; a function is called for each connection. */
  readonly token?: string | (() => string | Promise<string>)
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the global `fetch`: for client certificates, unix sockets or a proxy. */
  readonly fetch?: FetchLike
  /** Called when a connection is open, and when it broke and is tried again. */
  readonly onState?: (state: TraceStreamState) => void
}

/** `reconnecting` means that events of requests in the meantime are missing. */
export type TraceStreamState = 'open' | 'reconnecting'
