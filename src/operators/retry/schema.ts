import { defaults } from '../../config/defaults.ts'
import {
  conditionField,
  duration,
  listOf,
  type Properties,
  record,
  whole,
} from '../../config/schema/builders.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** When a call that failed is made again. */
export interface Retry {
  /** Calls after the first. */
  readonly attempts: number
  readonly codes: readonly number[]
  readonly backoffMs?: number
  readonly precondition?: Cel
  readonly condition?: Cel
}

const retry = record(
  'Sends a request again when the answer was one of these, or there was none.',
  {
    attempts: whole('How many times after the first.', 1, 255, defaults.retryAttempts),
    codes: listOf(whole('A status.', 100, 599), 'Statuses worth another attempt.'),
    backoff: duration('How long to wait in between.'),
    precondition: conditionField('About the request: where it is false, there is one attempt only.'),
    condition: conditionField('About the answer: where it is true, it is tried again, whatever its status.'),
  },
  { required: ['codes'] },
)

/** Definitions about `retry`. */
export const retryDefinitions: Properties = { Retry: retry }
