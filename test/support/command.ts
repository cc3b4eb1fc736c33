import { spawn } from 'node:child_process'
import { dirname, delimiter } from 'node:path'

/** The result of a finished program. */
export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd?: string
  /** Added to a clean environment: without variables of npm and the test runner. */
  readonly env?: Readonly<Record<string, string>>
  /** Runs as this user and group, which takes root. */
  readonly user?: number
}

/** The environment of a new terminal, with this Node first on the PATH. */
export const cleanEnvironment = (): Record<string, string> => {
  // Not NODE_EXTRA_CA_CERTS: without it some networks have no registry.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_(OPTIONS|TEST_.*|V8_.*|CHANNEL_.*)$|INIT_CWD$|PATH$)/i.test(name),
  )
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path }
}

/** Runs a program to its end and collects its output. Rejects if it cannot be started. */
export const command = (
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...cleanEnvironment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('error', reject).once('close', (status) => resolve({ status, stdout, stderr }))
  })
