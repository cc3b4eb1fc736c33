import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanEnvironment } from './command.ts'

/** The daemon in its own process, started as a user starts it. */
export interface Daemon extends AsyncDisposable {
  readonly child: ChildProcess
  readonly file: string
  /** All lines of output so far, of both streams. */
  readonly output: () => string
  /** Base address of a gateway, or of `admin`, `stats`, `readiness`. */
  url(name: string): string
  /** Resolves with the first match in past or future output. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  rewrite(configuration: string): void
  /** Sends a signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface DaemonOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A program to run instead of the sources; `-f FILE` is added. */
  readonly program?: readonly string[]
  readonly cwd?: string
  /** Runs as this user and group, which takes root. */
  readonly user?: number
}

/** Settings that let several daemons run in parallel: free ports for the admin servers. */
export const anyPorts = `config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
`

/** A daemon without output for so long has failed, even on a machine that is busy with other tests. */
const PATIENCE_MS = 120_000

/** The last output arrives after the exit, unless a child process still holds the streams. */
const LAST_WORDS_MS = 5_000

/** The daemon from its sources. */
export const daemonSources = new URL('../../src/main.ts', import.meta.url).pathname

/** The same as a bundle if there is one: `npm test` creates it, since hundreds of tests start a daemon. */
export const daemonProgram = process.env.DAEMON_IN_ONE_FILE ?? daemonSources

/** Passes on whole lines, whatever the pieces that they arrive in: a pattern must not match the beginning of a line. */
const readLines = (stream: Readable, hear: (lines: string) => void): void => {
  let rest = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) hear(rest + chunk.slice(0, end))
    rest = end > 0 ? chunk.slice(end) : rest + chunk
  })
  stream.on('end', () => hear(rest))
}

/** Starts the daemon on a configuration (its gateways should have `port: 0`) and waits until it is ready. */
export const startDaemon = async (configuration: string, options: DaemonOptions = {}): Promise<Daemon> => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  const [program = '', ...args] = options.program ?? [process.execPath, daemonProgram]
  if (options.user !== undefined) chownSync(folder, options.user, options.user)
  const child = spawn(program, [...args, '-f', file], {
    cwd: options.cwd,
    env: { ...cleanEnvironment(), ...options.env },
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  })
  let text = ''
  let wake: (() => void)[] = []
  let isOver = false
  const hear = (chunk: string) => {
    text += chunk
    const waiting = wake
    wake = []
    for (const one of waiting) one()
  }
  for (const stream of [child.stdout, child.stderr]) readLines(stream, hear)
  const closed = once(child, 'close').then(() => {
    isOver = true
    hear('')
  })
  const printed = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text)
      if (found) return found
      if (isOver) throw new Error(`the daemon ended without printing ${String(pattern)}:\n${text}`)
      await new Promise<void>((resolve, reject) => {
        const patience = setTimeout(() => {
          reject(new Error(`the daemon did not print ${String(pattern)}:\n${text}`))
        }, PATIENCE_MS)
        wake.push(() => {
          clearTimeout(patience)
          resolve()
        })
      })
    }
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    }
    await Promise.race([closed, pause(LAST_WORDS_MS, undefined, { ref: false })])
    rmSync(folder, { recursive: true, force: true })
    return child.exitCode
  }
  try {
    await printed(/^ready$/m)
  } catch (error) {
    // The test has no handle to end it, and it would keep the file from ending.
    await stop('SIGKILL')
    throw error
  }
  return {
    child,
    file,
    output: () => text,
    url: (name) => {
      const found = new RegExp(`\\b${name} listens on (https?://\\S+)`).exec(text)?.[1]
      if (found === undefined) throw new Error(`${name} does not listen:\n${text}`)
      return found.replace('[::]', '127.0.0.1')
    },
    printed,
    rewrite: (next) => {
      // Written atomically: the daemon may read its file at any moment, and a part of it is another configuration.
      writeFileSync(`${file}.next`, next)
      renameSync(`${file}.next`, file)
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL')
    },
  }
}
