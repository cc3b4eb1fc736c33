import { formatted, type Properties, record } from '../../config/schema/builders.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** Delays every request. */
export interface Delay {
  readonly duration: { readonly ms: number } | { readonly expression: Cel }
}

const delay = record(
  'Delays requests.',
  {
    duration: formatted(
      'durationOrCel',
      'Delay, or an expression that returns a duration or a number of milliseconds.',
    ),
  },
  { required: ['duration'] },
)

/** Definitions of `delay`. */
export const delayDefinitions: Properties = { Delay: delay }
