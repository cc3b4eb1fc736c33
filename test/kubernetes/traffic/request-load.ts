import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LabAccess } from '../lab/lab.ts'

const script = join(import.meta.dirname, 'send-requests.ts')

/** What became of requests: counts by status, or by error. */
export type RequestOutcomes = Readonly<Record<string, number>>

/**
 * Sends requests all the while something happens in a lab.
 *
 * @param target URL, name of the host, and for HTTPS a file with authorities: see `send-requests.ts`.
 */
export const requestsDuring = async (
  lab: LabAccess,
  target: readonly string[],
  act: () => Promise<unknown>,
): Promise<RequestOutcomes> => {
  const [program = '', ...args] = lab.enter([process.execPath, script, ...target])
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)
  let last = ''
  lines.on('line', (line) => {
    last = line
  })
  try {
    await once(lines, 'line')
    await act()
  } finally {
    child.stdin.end()
    await ended
  }
  return JSON.parse(last) as RequestOutcomes
}
