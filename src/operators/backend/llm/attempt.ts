import type { Option } from './candidate.ts'
import type { StreamWatch } from './stream-watch.ts'

/** One of the attempts to have a request answered. */
export interface Attempt {
  readonly option: Option
  readonly watch: StreamWatch
  /** Which of them it is, counted from one. */
  readonly turn: number
  /** `performance.now()`. */
  readonly startedAt: number
}
