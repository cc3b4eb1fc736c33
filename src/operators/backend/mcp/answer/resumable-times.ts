/** What is waited for while an answer is given, and for how long. */
export interface ResumableTimes {
  /** How long a client may take to come back. */
  readonly patienceMs: number
  /**
   * A call that takes longer can be taken up again before anything was said. From then on its answer is a stream, and has
   * no status of its own any more.
   */
  readonly silentMs: number
  /** After so long clients come back whose server does not say when. */
  readonly retryMs: number
  /** After so long a connection ends, and the client comes back for the rest. Undefined: it lasts as long as the call. */
  readonly hangUpMs?: number | undefined
  /** Whether connections last now, whoever wants to let go of them: clients could not come back. */
  readonly mustHold?: (() => boolean) | undefined
}

/**
 * Long enough for a network to change, and for a server on the internet to want credentials. Clients that are hung up on
 * are back soon, for nobody hears an answer meanwhile.
 *
 * @param hasStatuses Whether a server may answer with an HTTP status that the client should see.
 */
export const timesFor = (
  hasStatuses: boolean,
  hangUpMs: number | undefined,
  mustHold?: () => boolean,
): ResumableTimes => ({
  patienceMs: 30_000,
  silentMs: hasStatuses ? 5_000 : 50,
  retryMs: hangUpMs === undefined ? RETRY_MS : Math.min(RETRY_MS, Math.max(100, Math.ceil(hangUpMs / 10))),
  hangUpMs,
  mustHold,
})

const RETRY_MS = 1_000
