import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder that is removed at the end of the bench, also after a failure. */
export const temporaryFolder = (): string => {
  if (folders.length === 0) {
    process.on('exit', removeAll)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => {
        removeAll()
        process.kill(process.pid, signal)
      })
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  folders.push(folder)
  return folder
}

const folders: string[] = []

const removeAll = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
