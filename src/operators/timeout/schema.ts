import { duration, type Properties, record } from '../../config/schema/builders.ts'

/** Timeouts of an exchange; absent ones are unlimited. */
export interface Timeout {
  /** The whole exchange, including a stalling body. */
  readonly requestTimeoutMs?: number
  /** One attempt, until the response headers arrive. */
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

/** Definitions of `timeout`. */
export const timeoutDefinitions: Properties = { Timeout: timeout }
