/** The rows of the tables in a section of a page, without their heads. A section ends at the next heading of its level. */
export const tableRows = (page: string, section: string): readonly (readonly string[])[] => {
  const [, text = ''] = page.split(`\n## ${section}\n`)
  return text
    .split(/^## /m)[0]!
    .split('\n')
    .filter((line, index, lines) => isRow(line) && isRow(lines[index - 1] ?? ''))
    .filter((line) => !/^\|[-| ]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

const isRow = (line: string): boolean => line.startsWith('|')
