import { EvaluationError } from '@marcbachmann/cel-js'

/** Why an expression has no value for these variables. A value, not an exception: evaluation is total. */
export interface Failure {
  /**
   * Stable snake_case code, such as `no_such_key`, `unknown_variable`, `no_such_overload`, `limit_exceeded`.
   */
  readonly code: string
  readonly message: string
}

/** An error for functions and views to throw; {@link failureOf} converts it into a value. */
export const celError = (code: string, message: string): EvaluationError =>
  new EvaluationError({ code, message })

/** There is no member of this name. `has`, `default` and `coalesce` catch this kind of failure. */
export const noSuchKey = (key: unknown): EvaluationError =>
  celError('no_such_key', `no such key: ${String(key)}`)

const absences: ReadonlySet<string> = new Set(['no_such_key', 'unknown_variable', 'index_out_of_bounds'])

/** Whether `error` means that something is absent, as opposed to invalid. */
export const isAbsence = (error: unknown): boolean =>
  error instanceof EvaluationError && absences.has(error.code)

/** Converts an error of an evaluation into a value. The library's `message` is a drawing of several lines. */
export const failureOf = (thrown: unknown): Failure => {
  if (thrown instanceof EvaluationError) return { code: thrown.code, message: thrown.summary }
  // Deep recursion over a caller's value ends in a RangeError of the engine; it is reported as a limit.
  if (thrown instanceof RangeError) return { code: 'limit_exceeded', message: thrown.message }
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) }
}
