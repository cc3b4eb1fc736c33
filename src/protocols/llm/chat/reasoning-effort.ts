import type { ReasoningEffort } from './request.ts'

/** All reasoning efforts, in ascending order. */
export const efforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
]

/** The effort of this name. */
export const effortIn = (word: string | undefined): ReasoningEffort | undefined =>
  efforts.find((effort) => effort === word)
