import type { BackendLabels } from '../resources/snapshot.ts'

/** The calls of one exchange to upstreams. Times are those of `performance.now()`; 0 before. */
export class UpstreamAttempts {
  /** Attempts so far: the first one and the retries. */
  attempts = 0
  /** The backend of the last attempt. */
  backend: BackendLabels | undefined = undefined
  /** Address of the last attempt's endpoint, `host:port`. */
  endpoint: string | undefined = undefined
  /** Address of the only endpoint that has the state of the request; the first attempt selects it while it exists. */
  pinnedTo: string | undefined = undefined
  /** Addresses that an endpoint picker chose for this attempt, the preferred one first; undefined leaves the choice. */
  picked: readonly string[] | undefined = undefined
  /** Backends and endpoints selected from several, in that order: a retry prefers others. */
  tried: readonly object[] | undefined = undefined
  /** The deadline of the current attempt has passed. */
  timedOut = false
  /** Start of the first attempt. */
  firstStartedAt = 0
  /** Start of the last attempt. */
  startedAt = 0
  /** The head of the last response; a later time if the reply needs more of the response than its head. */
  respondedAt = 0
}
