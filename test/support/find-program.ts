import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where the first of some programs is on the PATH; undefined if none of them is there. */
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
