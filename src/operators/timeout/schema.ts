import { duration, type Properties, record } from '../../config/schema/builders.ts'

/** How long answers may take; what is absent may take for ever. */
export interface Timeout {
  /** The whole exchange, a stalling body included. */
  readonly requestTimeoutMs?: number
  /** One attempt, up to the head of the answer. */
  readonly backendRequestTimeoutMs?: number
}

const timeout = record('Timeouts of an exchange.', {
  requestTimeout: duration(
    'Timeout of the whole exchange including bodies. After it: 504 `request timeout`. Default: none.',
  ),
  backendRequestTimeout: duration(
    'Timeout of one attempt until the response headers arrive. After it: 504 `upstream call timeout`. Default: none.',
  ),
})

/** Definitions about `timeout`. */
export const timeoutDefinitions: Properties = { Timeout: timeout }
