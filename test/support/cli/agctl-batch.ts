import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { AgctlRun } from './agctl.ts'

/** Runs several commands of `agctl` one after the other, in one process: most of the cost of a run is its start. */
export const runAgctlBatch = async (
  commands: readonly (readonly string[])[],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly AgctlRun[]> => {
  const program = 'test/support/cli/agctl-batch-program.ts'
  const child = spawn(process.execPath, ['--conditions=agentgateway-source', program], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(commands))
  return JSON.parse(await text(child.stdout)) as readonly AgctlRun[]
}
