import { spawn } from 'node:child_process'

/** What a run of `agctl` printed, and its exit code. */
export interface AgctlRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `agctl` from its sources, until it ends. */
export const runAgctlProgram = (
  args: readonly string[],
  { env = {}, input = '' }: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<AgctlRun> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['src/cli/agctl.ts', ...args], {
      env: { ...process.env, NO_COLOR: '1', ...env },
    })
    const printed = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text))
    child.once('error', reject).once('close', (code) => {
      resolve({ code, ...printed })
    })
    child.stdin.on('error', () => undefined).end(input)
  })
