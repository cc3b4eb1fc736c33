import { formatted, listOf, type Properties, record } from '../../config/schema/builders.ts'

/** Unsafe requests from other origins than these and the own one are refused. */
export interface Csrf {
  readonly additionalOrigins: readonly string[]
}

const csrf = record('Refuses requests that change something and come from pages of other sites.', {
  additionalOrigins: listOf(
    formatted('originPattern', 'An origin.'),
    'Origins that may send such requests, beside the own one.',
  ),
})

/** Definitions about `csrf`. */
export const csrfDefinitions: Properties = { Csrf: csrf }
