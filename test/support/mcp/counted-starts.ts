import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programTarget, type Target } from './mcp-daemon.ts'

const program = new URL('counting-program.ts', import.meta.url).pathname

/** How often programs were started, and how often their lists were requested. */
export interface CountedStarts extends Disposable {
  target(name: string, fields?: Readonly<Record<string, unknown>>, ...args: readonly string[]): Target
  starts(): number
  lists(): number
}

/** Counts the records of `counting-program.ts`. */
export const countedStarts = (): CountedStarts => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-starts-'))
  const file = join(folder, 'starts')
  writeFileSync(file, '')
  const count = (word: string): number => readFileSync(file, 'utf8').split(`${word}\n`).length - 1
  return {
    target: (name, fields, ...args) => ({ ...programTarget(name, program, file, ...args), ...fields }),
    starts: () => count('start'),
    lists: () => count('list'),
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true })
    },
  }
}
