/** A login under way, as a cookie of the browser keeps it. */
export interface Transaction {
  readonly csrfState: string
  readonly nonce: string
  readonly verifier: string
  /** Path and query of what was asked for. */
  readonly target: string
  /** Seconds since the epoch. */
  readonly until: number
}

/** How long somebody may take to log in. */
export const TRANSACTION_S = 300
