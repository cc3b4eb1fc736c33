import type { Ask, AttemptTimes } from './ask.ts'
import type { Option, OptionGroups } from './candidate.ts'
import type { AttemptWatch } from './stream-watch.ts'

/** One of the attempts to have a request answered. */
export interface Attempt {
  readonly option: Option
  readonly watch: AttemptWatch
  /** Which of them it is, counted from one. */
  readonly turn: number
  readonly times: AttemptTimes
}

/** What attempts need besides the exchange. */
export interface AttemptOptions {
  readonly groups: OptionGroups
  readonly ask: Ask
  readonly random: () => number
}
