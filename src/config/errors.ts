import type { ConfigWarning } from '../model/resources/resources.ts'

/** One mistake in a configuration, with its location. */
export interface ConfigProblem {
  readonly file: string
  /** 1-based; 1:1 for the document as a whole, 0 where there are no lines (the environment). */
  readonly line: number
  /** 1-based, in characters. */
  readonly column: number
  /** The field as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** The field, such as `routes[2].matches[0].path`; empty for the document itself. */
  readonly path: string
  /** The invalid value as it may be printed: secrets and long texts are replaced. */
  readonly value?: string
  /** The expected value. May be a whole sentence that begins with the path. */
  readonly expectation: string
  readonly hint?: string
  /** The hint without abbreviation. */
  readonly fullHint?: string
}

/** How many problems are printed; the rest is counted only. */
const PRINTED = 100

/** A configuration that cannot be used. Carries every problem found, in the order of the file. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]
  /** What is probably a mistake besides, as far as the configuration could be checked for it. */
  readonly warnings: readonly ConfigWarning[]

  constructor(
    problems: readonly ConfigProblem[],
    options?: ErrorOptions & { readonly warnings?: readonly ConfigWarning[] },
  ) {
    const sorted = [...problems].sort(byLocation)
    super(formatProblems(sorted), options)
    this.problems = sorted
    this.warnings = options?.warnings ?? []
  }

  /** The message with unabbreviated hints. */
  get verbose(): string {
    return formatProblems(
      this.problems.map((problem) =>
        problem.fullHint === undefined ? problem : { ...problem, hint: problem.fullHint },
      ),
    )
  }
}

/**
 * The printed form of a problem: one line, and an indented one for the hint.
 *
 * @example
 * // gateway.yaml:12:7: routes[2].matches[0].path.pathPrefix: "v1" must start with "/"
 * //     hint: did you mean "/v1"?
 */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, value, expectation, hint } = problem
  const includesPath = path === '' || expectation.startsWith(path)
  const what = value === undefined ? expectation : `${value} ${expectation}`
  const location = line === 0 ? file : `${file}:${String(line)}:${String(column)}`
  const head = `${location}: ${includesPath ? '' : `${path}: `}${what}`
  return hint === undefined || hint === '' ? head : `${head}\n    hint: ${hint}`
}

/** Makes a problem with its location. */
export function problemAt(
  document: ProblemSource,
  pointer: string,
  { line, column }: { readonly line: number; readonly column: number },
  words: {
    readonly expectation: string
    readonly value?: string | undefined
    readonly hint?: string | undefined
    readonly fullHint?: string | undefined
  },
): ConfigProblem {
  return {
    file: document.file,
    line,
    column,
    pointer,
    path: document.display(pointer),
    ...(words.value === undefined ? {} : { value: words.value }),
    expectation: words.expectation,
    ...(words.hint === undefined ? {} : { hint: words.hint }),
    ...(words.fullHint === undefined ? {} : { fullHint: words.fullHint }),
  }
}

/** The parts of a document that a problem needs. */
interface ProblemSource {
  readonly file: string
  display(pointer: string): string
}

function formatProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.slice(0, PRINTED).map(formatProblem)
  if (problems.length > PRINTED) lines.push(`and ${String(problems.length - PRINTED)} more problems`)
  return lines.join('\n')
}

function byLocation(a: ConfigProblem, b: ConfigProblem): number {
  return a.line - b.line || a.column - b.column
}

/**
 * The printed form of a warning.
 *
 * @param file The name of the configuration file.
 * @example
 * // gateway.yaml:12:7: warning: routes[2]: matches what routes[1] matches, which comes first
 */
export function formatWarning(warning: ConfigWarning, file: string): string {
  const { line, column } = warning
  const location = line === 0 ? file : `${file}:${String(line)}:${String(column)}`
  return `${location}: warning: ${warningText(warning)}`
}

/** A warning with the path of its field. */
export const warningText = ({ path, message }: ConfigWarning): string =>
  path === '' || message.startsWith(path) ? message : `${path}: ${message}`
