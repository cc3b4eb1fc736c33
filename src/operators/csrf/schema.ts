import { formatted, listOf, type Properties, record } from '../../config/schema/builders.ts'

/** Unsafe requests from other origins than these and the own one are refused. */
export interface Csrf {
  readonly additionalOrigins: readonly string[]
}

const csrf = record('Refuses cross-site requests with unsafe methods (CSRF protection).', {
  additionalOrigins: listOf(
    formatted('originPattern', 'Origin.'),
    "Origins that may send such requests, in addition to the gateway's own.",
  ),
})

/** Definitions about `csrf`. */
export const csrfDefinitions: Properties = { Csrf: csrf }
