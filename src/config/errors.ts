import type { ConfigWarning } from '../model/resources.ts'

/** One thing wrong with a configuration, and where. */
export interface ConfigProblem {
  readonly file: string
  /** 1-based; 1:1 where the place is the document as a whole, 0 where there are no lines (the environment). */
  readonly line: number
  /** 1-based, in characters. */
  readonly column: number
  /** The field as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** The field, such as `routes[2].matches[0].path`; empty for the document itself. */
  readonly path: string
  /** The offending value as it may be printed: secrets and long texts are replaced. */
  readonly value?: string
  /** What would have been right. May be a whole sentence that begins with the path. */
  readonly expectation: string
  readonly hint?: string
}

/** How many problems are printed before the rest is only counted. */
const PRINTED = 100

/** A configuration that cannot be used. Carries every problem found, in the order of the file. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    const sorted = [...problems].sort(byPlace)
    super(formatProblems(sorted), options)
    this.problems = sorted
  }
}

/**
 * The printed form of a problem: one line, and an indented one for the hint.
 *
 * @example
 * // gateway.yaml:12:7: routes[2].matches[0].path.pathPrefix: "v1" must start with "/"
 * //     hint: did you mean "/v1"?
 */
function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, value, expectation, hint } = problem
  const saysPath = path === '' || expectation.startsWith(path)
  const what = value === undefined ? expectation : `${value} ${expectation}`
  const place = line === 0 ? file : `${file}:${String(line)}:${String(column)}`
  const head = `${place}: ${saysPath ? '' : `${path}: `}${what}`
  return hint === undefined ? head : `${head}\n    hint: ${hint}`
}

/** Puts a problem together with its place. */
export function problemAt(
  document: ProblemPlaces,
  pointer: string,
  { line, column }: { readonly line: number; readonly column: number },
  words: {
    readonly expectation: string
    readonly value?: string | undefined
    readonly hint?: string | undefined
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
  }
}

/** What a problem needs to know about its document. */
interface ProblemPlaces {
  readonly file: string
  display(pointer: string): string
}

function formatProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.slice(0, PRINTED).map(formatProblem)
  if (problems.length > PRINTED) lines.push(`and ${String(problems.length - PRINTED)} more problems`)
  return lines.join('\n')
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.line - b.line || a.column - b.column
}

/**
 * The printed form of a warning.
 *
 * @param file Where it was found.
 * @example
 * // gateway.yaml:12:7: warning: routes[2]: matches what routes[1] matches, which comes first
 */
export function formatWarning({ line, column, path, message }: ConfigWarning, file: string): string {
  const place = line === 0 ? file : `${file}:${String(line)}:${String(column)}`
  const what = path === '' || message.startsWith(path) ? message : `${path}: ${message}`
  return `${place}: warning: ${what}`
}
