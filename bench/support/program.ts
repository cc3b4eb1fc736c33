import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** A server in a process of its own, so that its CPU time is measured separately. */
export interface Program {
  readonly child: ChildProcess
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

/** Starts a script that reports `{ port }` to its parent once it listens. */
export const start = async (
  script: string,
  env: Readonly<Record<string, string>> = {},
  options: { args?: readonly string[]; nodeArgs?: readonly string[] } = {},
): Promise<Program> => {
  const child = fork(new URL(script, import.meta.url), options.args ?? [], {
    env: { ...process.env, ...env },
    execArgv: [...(options.nodeArgs ?? [])],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return {
    child,
    pid: child.pid as number,
    url: `http://127.0.0.1:${message.port}`,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

const HERTZ = 100

/** CPU time a process has used, in microseconds. */
export const cpuUs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / HERTZ
}

/** How long the main thread of a process was ready to run while others had the processors, in milliseconds. */
export const waitedMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
