import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of some programs on the PATH; undefined if there is none. */
export const findProgram = (...names: readonly string[]): string | undefined =>
  names
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find(isExecutable)

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
