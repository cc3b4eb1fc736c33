/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  /** Only in wide tables. */
  readonly isWide?: boolean
}

/** A table of aligned columns with two spaces between them, and a line break at its end. */
export const formatTable = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string => {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => oneLine(text(row)))),
  ]
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** Names come from configurations: they must not control the terminal. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
