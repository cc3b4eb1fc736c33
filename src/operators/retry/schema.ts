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

/** When a failed call is repeated. */
export interface Retry {
  /** Calls after the first. */
  readonly attempts: number
  readonly codes: readonly number[]
  readonly backoffMs?: number
  readonly precondition?: Cel
  readonly condition?: Cel
}

const retry = record(
  'Retries requests that failed or got one of the listed status codes.',
  {
    attempts: whole('Maximum number of retries after the first attempt.', 1, 255, defaults.retryAttempts),
    codes: listOf(whole('Status code.', 100, 599), 'Status codes that are retried.'),
    backoff: duration('Delay between attempts. Default: none.'),
    precondition: conditionField('Condition on the request. If false, the request is not retried.'),
    condition: conditionField(
      'Condition on the response. If true, the request is retried regardless of `codes`.',
    ),
  },
  { required: ['codes'] },
)

/** Definitions of `retry`. */
export const retryDefinitions: Properties = { Retry: retry }
