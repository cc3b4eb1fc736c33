import { type ConfigProblem, formatProblem, formatWarning } from '../../config/errors.ts'
import type { ConfigWarning } from '../../model/resources/resources.ts'

/** One thing that is wrong with a file, or probably is. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  readonly file: string
  /** 1-based; 0 where there are no lines, as in the environment. */
  readonly line: number
  readonly column: number
  /** The field, such as `routes[2].matches[0].path`; empty for the file as a whole. */
  readonly path: string
  /** Names the kind of a warning. */
  readonly code?: string
  /** The invalid value. Secrets and long texts are replaced. */
  readonly value?: string
  /** What is expected; of a warning, what is suspicious. */
  readonly expectation: string
  readonly hint?: string
  /** The lines for people, with the location. */
  readonly text: string
}

/** An error as a finding, with its whole hint. */
export const problemFinding = (problem: ConfigProblem): Finding => {
  const { file, line, column, path, value, expectation } = problem
  const hint = problem.fullHint ?? problem.hint
  return {
    severity: 'error',
    file,
    line,
    column,
    path,
    ...(value !== undefined && { value }),
    expectation,
    ...(hint !== undefined && hint !== '' && { hint }),
    text: formatProblem(hint === undefined ? problem : { ...problem, hint }),
  }
}

/** A warning as a finding. */
export const warningFinding = (warning: ConfigWarning, file: string): Finding => {
  const { code, line, column, path, message } = warning
  return {
    severity: 'warning',
    file,
    line,
    column,
    path,
    code,
    expectation: message,
    text: formatWarning(warning, file),
  }
}
