import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'kubernetes-lab-'

/** Makes a folder for the files of an API server, and removes those of processes that were killed before they could. */
export const makeClusterFolder = (): string => {
  for (const folder of globSync(join(tmpdir(), `${PREFIX}*`)))
    if (!hasOwner(folder)) rmSync(folder, { recursive: true, force: true })
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  writeFileSync(ownerFile(folder), String(process.pid))
  return folder
}

const ownerFile = (folder: string): string => join(folder, 'owner')

const hasOwner = (folder: string): boolean => {
  try {
    return existsSync(`/proc/${readFileSync(ownerFile(folder), 'utf8')}`)
  } catch {
    // It is being made, or removed.
    return true
  }
}
