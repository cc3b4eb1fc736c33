import { duration, type Properties, record } from '../../config/schema/builders.ts'

/** How long answers may take; what is absent may take for ever. */
export interface Timeout {
  /** The whole exchange, a stalling body included. */
  readonly requestTimeoutMs?: number
  /** One attempt, up to the head of the answer. */
  readonly backendRequestTimeoutMs?: number
}

const timeout = record('Limits how long an exchange may take.', {
  requestTimeout: duration('For the whole exchange, bodies included: 504 `request timeout` after it.'),
  backendRequestTimeout: duration(
    'For one attempt, up to the head of the answer: 504 `upstream call timeout`.',
  ),
})

/** Definitions about `timeout`. */
export const timeoutDefinitions: Properties = { Timeout: timeout }
