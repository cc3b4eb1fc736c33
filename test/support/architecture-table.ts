/** A row in the table of ARCHITECTURE.md, and what its files may do. Names that share a row share its rules. */
export interface Room {
  /**
   * Folder or file under `src/`; `*:name` is every file or folder of that name in `operators`, `streams` and
   * `upstream`.
   */
  readonly name: string
  /** The whole first column: names that share it. */
  readonly row: readonly string[]
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
  return lines.slice(start, end).flatMap(roomsOfRow)
}

/** The row of a file: a name that applies in any folder, else the longest name that matches its path under `src/`. */
export const roomOf = (house: readonly Room[], path: string): Room | undefined =>
  house.find(({ name }) => name.startsWith(ANYWHERE) && isFace(path, name.slice(ANYWHERE.length))) ??
  house
    .filter(({ name }) => path === name || path.startsWith(`${name}/`))
    .reduce<Room | undefined>(
      (best, room) => (best && best.name.length >= room.name.length ? best : room),
      undefined,
    )

const ANYWHERE = '*:'

const isFace = (path: string, name: string): boolean =>
  /^(operators|streams|upstream)\//.test(path) &&
  path.split('/').some((part) => part === name || part === `${name}.ts`)

const roomsOfRow = (line: string): Room[] => {
  const [, first = '', mayImport = '', reachesOut = '', rxjs = ''] = line
    .split('|')
    .map((cell) => cell.trim())
  const row = quoted(first)
  return row.map((name) => ({
    name,
    row,
    mayImport: mayImport === 'everything' ? 'everything' : quoted(mayImport),
    reachesOut: oneOf<'yes' | 'no'>(reachesOut, ['yes', 'no']) ?? quoted(reachesOut),
    rxjs: oneOf<Room['rxjs']>(rxjs, ['yes', 'types', 'no']) ?? 'no',
  }))
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? [])

const oneOf = <T extends string>(cell: string, words: readonly T[]): T | undefined =>
  words.find((word) => word === cell)
