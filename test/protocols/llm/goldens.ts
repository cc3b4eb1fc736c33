import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A transcript by name, parsed. */
export interface Golden<T> {
  readonly name: string
  readonly golden: T
  /** Of the file of the same name with the ending `.sse`. */
  readonly text: string
}

/** The transcripts of a kind in a folder beside the tests, in the order of their names. */
export const goldensOf = <T>(folder: URL, kind: string): readonly Golden<T>[] =>
  globSync(`${kind}-*.json`, { cwd: folder })
    .sort()
    .map((file) => {
      const name = basename(file, '.json')
      const golden = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T
      return { name, golden, text: textOf(new URL(`${name}.sse`, folder)) }
    })

/** After a round trip through JSON: without members that are undefined. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const textOf = (file: URL): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
