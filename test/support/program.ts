import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A running program of an example. */
export interface Program extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** Its output, by lines. */
  readonly lines: readonly string[]
}

/**
 * Runs a program that listens on `PORT` and prints its address in its first line.
 *
 * @param interpreter Default: this Node.
 */
export const startProgram = async (path: string, interpreter?: string): Promise<Program> => {
  const options = interpreter === undefined ? ['--conditions=agentgateway-source'] : []
  const child = spawn(interpreter ?? process.execPath, [...options, path], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  await Promise.race([once(reader, 'line'), once(child, 'exit')])
  const host = /127\.0\.0\.1:\d+/.exec(lines[0] ?? '')?.[0]
  if (host === undefined) throw new Error(`${path} does not listen`)
  return {
    host,
    lines,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      if (child.kill()) await gone
    },
  }
}
