import type { HeadRefusalCode } from './head-error.ts'

/** The options of path normalisation. */
export interface PathRules {
  /**
   * `refuse`: a backslash, `%2F` or `%5C` in the path refuses the request. `keep`: they stay in the path as
   * escapes (`%2F`, `%5C`) and are never separators; a dot segment between them is still refused.
   */
  readonly encodedSlashes: 'refuse' | 'keep'
  /**
   * Whether a run of slashes becomes one, as many servers read it. Otherwise `//a` and `/a` are two paths.
   */
  readonly mergeSlashes: boolean
}

/** Refuse encoded slashes, keep repeated ones. */
export const defaultPathRules: PathRules = { encodedSlashes: 'refuse', mergeSlashes: false }

/** Why a target is refused. */
export type TargetRefusal = Extract<HeadRefusalCode, `target_${string}` | 'malformed_target'>
