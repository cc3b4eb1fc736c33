/** Timing of resumable responses. */
export interface ResumableTiming {
  /** How long a client may take to reconnect. */
  readonly resumeWithinMs: number
  /**
   * A call that takes longer becomes resumable before its first message. From then on the response is a stream without
   * a status of its own.
   */
  readonly silentMs: number
  /** Reconnection delay of clients if the server states none. */
  readonly retryMs: number
  /**
   * Connections are closed after this time, and the client reconnects for the rest. Undefined: they last as long as the
   * call.
   */
  readonly closeAfterMs?: number | undefined
  /** Whether connections must stay open: clients could not reconnect. */
  readonly mustStayOpen?: (() => boolean) | undefined
}

/**
 * Long enough for a network change, and for a remote server to require credentials. Clients whose connection is closed
 * reconnect soon, since they get nothing meanwhile.
 *
 * @param hasStatuses Whether a server may send an HTTP status that the client should see.
 */
export const timingFor = (
  hasStatuses: boolean,
  closeAfterMs: number | undefined,
  mustStayOpen?: () => boolean,
): ResumableTiming => ({
  resumeWithinMs: 30_000,
  silentMs: hasStatuses ? 5_000 : 50,
  retryMs:
    closeAfterMs === undefined ? RETRY_MS : Math.min(RETRY_MS, Math.max(100, Math.ceil(closeAfterMs / 10))),
  closeAfterMs,
  mustStayOpen,
})

const RETRY_MS = 1_000
