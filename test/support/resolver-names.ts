import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DaemonOptions } from './daemon.ts'

/** The DNS responses on a daemon's machine; all other names are unknown there. */
export interface Names extends Disposable {
  /** For `startDaemon`. */
  readonly options: Pick<DaemonOptions, 'env'>
  /** Changes the addresses of a name. */
  set(name: string, addresses: readonly string[]): void
}

/** Gives daemons their own resolver: names of a test belong in no hosts file. */
export const ownNames = (names: Readonly<Record<string, readonly string[]>>): Names => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'))
  const file = join(folder, 'names.json')
  const known = { ...names }
  // Written atomically: the daemon may look a name up at any moment.
  const write = () => {
    writeFileSync(`${file}.next`, JSON.stringify(known))
    renameSync(`${file}.next`, file)
  }
  write()
  const preload = new URL('resolver-preload.ts', import.meta.url).href
  return {
    options: { env: { NODE_OPTIONS: `--import=${preload}`, TEST_NAMES: file } },
    set: (name, addresses) => {
      known[name] = addresses
      write()
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
