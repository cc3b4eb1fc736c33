import { formatted, type Properties, record } from '../../config/schema/builders.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** Holds every request for a while. */
export interface Delay {
  readonly duration: { readonly ms: number } | { readonly expression: Cel }
}

const delay = record(
  'Waits before the request goes on.',
  {
    duration: formatted(
      'durationOrCel',
      'How long, or an expression that gives a duration or a number of milliseconds.',
    ),
  },
  { required: ['duration'] },
)

/** Definitions about `delay`. */
export const delayDefinitions: Properties = { Delay: delay }
