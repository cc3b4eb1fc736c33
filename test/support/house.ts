/** A row of the table in ARCHITECTURE.md: what the files of one room may do. */
export interface Room {
  /** Folder or file under `src/`. */
  readonly name: string
  readonly mayImport: readonly string[] | 'everything'
  /** Files that may do I/O, or a word for all or none of them. */
  readonly reachesOut: readonly string[] | 'yes' | 'no'
  readonly rxjs: 'yes' | 'types' | 'no'
}

/** The rows of the table whose first column is `Room`. */
export const readHouse = (markdown: string): Room[] => {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => /^\|\s*Room\s*\|/.test(line)) + 2
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith('|'))
  return lines.slice(start, end).map(roomOfRow)
}

/** The room of a file: the longest name that fits its path under `src/`. */
export const roomOf = (house: readonly Room[], path: string): Room | undefined =>
  house
    .filter(({ name }) => path === name || path.startsWith(`${name}/`))
    .reduce<Room | undefined>(
      (best, room) => (best && best.name.length >= room.name.length ? best : room),
      undefined,
    )

const roomOfRow = (line: string): Room => {
  const [, room = '', mayImport = '', reachesOut = '', rxjs = ''] = line.split('|').map((cell) => cell.trim())
  const [name] = quoted(room)
  if (name === undefined) throw new Error(`no room in ${line}`)
  return {
    name,
    mayImport: mayImport === 'everything' ? 'everything' : quoted(mayImport),
    reachesOut: oneOf<'yes' | 'no'>(reachesOut, ['yes', 'no']) ?? quoted(reachesOut),
    rxjs: oneOf<Room['rxjs']>(rxjs, ['yes', 'types', 'no']) ?? 'no',
  }
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? [])

const oneOf = <T extends string>(cell: string, words: readonly T[]): T | undefined =>
  words.find((word) => word === cell)
