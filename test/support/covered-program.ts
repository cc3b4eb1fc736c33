import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from './command.ts'

/** A program from its sources, which reports what it executes. */
export interface CoveredProgram extends AsyncDisposable {
  /** Resolves with the first match in a past or future line of its output. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  /** The files under `src/` in which a function ran since the last call. */
  readonly executed: () => Promise<readonly string[]>
}

/** The code that counts collections would seem to belong to whatever allocates enough for one. */
const WITHOUT_COLLECTIONS = ['--min-semi-space-size=128', '--max-semi-space-size=128']

/** Starts a program such as `src/main.ts`. */
export const startCoveredProgram = (
  main: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): CoveredProgram => {
  const hook = new URL('report-coverage.ts', import.meta.url).href
  const path = new URL(`../../${main}`, import.meta.url).pathname
  const child = spawn(process.execPath, [...WITHOUT_COLLECTIONS, '--import', hook, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...cleanEnvironment(), ...env },
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  output.on('line', (line) => lines.push(line))
  return {
    printed: async (pattern) => {
      for (let next = 0; ;) {
        for (; next < lines.length; next++) {
          const found = pattern.exec(lines[next] ?? '')
          if (found) return found
        }
        const ended = exited.then(() => {
          throw new Error(`${main} ended without printing ${String(pattern)}:\n${lines.join('\n')}`)
        })
        await Promise.race([once(output, 'line'), ended])
      }
    },
    executed: async () => {
      child.send('take')
      const [files] = (await once(child, 'message')) as [readonly string[]]
      return files
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
