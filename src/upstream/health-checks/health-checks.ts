import type { ActiveCheck } from '../load-balancing/schema/normal-form.ts'
import type { DialAddress } from '../connect/dial.ts'
import type { ClientOptions } from '../http/client-options.ts'

/** What is checked, and how. */
export interface CheckSubject {
  /** Its name in logs. */
  readonly name: string
  readonly address: DialAddress
  /** How its connections are made. */
  readonly options: ClientOptions
  readonly check: ActiveCheck
}

/** Called with the first result and with changes: why the endpoint cannot be used; undefined if it can. */
export type CheckVerdict = (failing: string | undefined) => void

/** Checks under way. */
export interface CheckRun {
  /** Ends the checks at once, and closes their connections. */
  stop(): Promise<void>
}

/**
 * Checks whether endpoints can be used. Where several processes serve the same configuration, one of them may check and
 * share its results: where a check runs is up to the implementation.
 */
export interface HealthChecks {
  begin(subject: CheckSubject, verdict: CheckVerdict): CheckRun
}
