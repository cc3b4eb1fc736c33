import type { Finding } from './finding.ts'

/** A file that was checked. */
export interface CheckedFile {
  /** The argument. */
  readonly file: string
  /** Errors first. */
  readonly findings: readonly Finding[]
}

/** One line a problem, and one for its hint; files without problems are named. */
export const printText = (files: readonly CheckedFile[]): string =>
  lines(
    files.flatMap(({ file, findings }) =>
      findings.length === 0 ? [`${file}: ok`] : findings.map(({ text }) => text),
    ),
  )

/** Workflow commands of GitHub Actions, which show problems at their lines. */
export const printGithub = (files: readonly CheckedFile[]): string =>
  lines(files.flatMap(({ findings }) => findings.map(annotation)))

/** An object with all findings. */
export const printJson = (files: readonly CheckedFile[]): string => {
  const all = files.flatMap(({ findings }) => findings)
  const countOf = (severity: Finding['severity']): number =>
    all.filter((one) => one.severity === severity).length
  const printed = files.map(({ file, findings }) => ({
    file,
    findings: findings.map(({ text: _, ...finding }) => finding),
  }))
  return `${JSON.stringify({ errors: countOf('error'), warnings: countOf('warning'), files: printed }, undefined, 2)}\n`
}

const annotation = ({ severity, file, line, column, path, value, expectation, hint }: Finding): string => {
  const location = line === 0 ? {} : { line: String(line), col: String(column) }
  const title = path === '' ? {} : { title: path }
  const properties = Object.entries({ file, ...location, ...title })
    .map(([name, text]) => `${name}=${escapeProperty(text)}`)
    .join(',')
  const problem = value === undefined ? expectation : `${value} ${expectation}`
  return `::${severity} ${properties}::${escapeData(hint === undefined ? problem : `${problem}\nhint: ${hint}`)}`
}

/** The message ends with its line, and `%` begins an escape. */
const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** A property also ends with a comma, and all of them with a colon. */
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
