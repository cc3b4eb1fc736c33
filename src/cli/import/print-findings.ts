import { terminalJson, terminalText } from '../output/terminal-text.ts'
import type { ImportFinding } from './import-report.ts'

/** The findings as one JSON document. */
export const findingsJson = (findings: readonly ImportFinding[]): string =>
  terminalJson(`${JSON.stringify({ findings }, null, 2)}\n`)

/** The findings as a table, with hints below their lines. */
export const findingsTable = (findings: readonly ImportFinding[]): string => {
  if (findings.length === 0) return 'Everything was carried over.\n'
  const rows = findings.map(({ kind, file, line, column, subject, reason }) => [
    `${file}:${String(line)}:${String(column)}`,
    LABELS[kind],
    clean(subject),
    clean(reason),
  ])
  const widths = HEAD.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const lines = [lineOf(HEAD)]
  for (const [index, row] of rows.entries()) {
    lines.push(lineOf(row))
    const hint = findings[index]?.hint
    if (hint !== undefined) lines.push(`    hint: ${clean(hint)}`)
  }
  const count = (kind: ImportFinding['kind']): string =>
    String(findings.filter((finding) => finding.kind === kind).length)
  lines.push(
    '',
    `${count('dropped')} not carried over, ${count('closed')} closed, ${count('changed')} changed`,
  )
  return `${lines.join('\n')}\n`
}

const HEAD = ['WHERE', 'RESULT', 'WHAT', 'WHY']
const LABELS = { dropped: 'not carried over', closed: 'closed', changed: 'changed' } as const

/** Texts of the imported file must not move the cursor of the terminal. */
const clean = (text: string): string => terminalText(text).replaceAll(/[\n\t]+/g, ' ')
