import { formatted, listOf, type Properties, record } from '../../config/schema/builders.ts'

/** Refuses unsafe requests from origins other than these and the gateway's own. */
export interface Csrf {
  readonly additionalOrigins: readonly string[]
}

const csrf = record('Refuses cross-site requests with unsafe methods (CSRF protection).', {
  additionalOrigins: listOf(
    formatted('originPattern', 'Origin.'),
    "Origins that may send such requests, in addition to the gateway's own.",
  ),
})

/** Definitions of `csrf`. */
export const csrfDefinitions: Properties = { Csrf: csrf }
