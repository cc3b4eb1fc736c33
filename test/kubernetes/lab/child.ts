import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** A process whose output goes to a file. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>
  readonly hasExited: boolean
  /** The last lines of its output. */
  tail(lines?: number): string
}

/** A process that ends with this one, even if this one is killed. */
export const startChild = (command: readonly string[], logFile: string): Child => {
  const log = openSync(logFile, 'a')
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig=KILL', '--', ...command], {
    stdio: ['ignore', log, log],
    // Ctrl-C is for this process, which then ends the others in order.
    detached: true,
  })
  closeSync(log)
  let hasExited = false
  const exited = once(child, 'exit').then(() => {
    hasExited = true
  })
  return {
    pid: child.pid ?? 0,
    exited,
    get hasExited() {
      return hasExited
    },
    tail: (lines = 10) => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n'),
    async [Symbol.asyncDispose]() {
      if (hasExited) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

const GRACE_MS = 5_000
