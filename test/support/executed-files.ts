import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCoveredProgram } from './covered-program.ts'

/** A request whose executed files are recorded. Resolves once its reply is complete. */
export type Send = (url: string, agent: Agent) => Promise<unknown>

const WARM_UP = 5
/**
 * Code of a request runs in most rounds, and not in most without one, whatever is delayed on a busy machine: what was
 * delayed from a request before may run in some of these.
 */
const ROUNDS = 5
/** Log lines and metrics of a request are written after its reply, in a turn or two of the event loop. */
const TURNS = 20

/** The files under `src/` in which a daemon runs a function for one request on a kept connection, after similar ones. */
export const executedFiles = async (configuration: string, send: Send): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'executed-'))
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await using program = startCoveredProgram('src/main.ts', ['-f', file])
    const [, url = ''] = await program.printed(/default listens on (http\S+)/)
    await program.printed(/ready/)
    const { executed } = program
    for (let i = 0; i < WARM_UP; i++) await send(url, agent)
    const rounds = new Map<string, number>()
    const idle = new Map<string, number>()
    const takeTurns = async (counts?: Map<string, number>) => {
      const files = new Set<string>()
      for (let i = 0; i < TURNS; i++) for (const one of await executed()) files.add(one)
      for (const one of files) counts?.set(one, (counts.get(one) ?? 0) + 1)
    }
    for (let round = 0; round < ROUNDS; round++) {
      await takeTurns()
      await takeTurns(idle)
      await send(url, agent)
      await takeTurns(rounds)
    }
    const isMost = (count = 0) => count > ROUNDS / 2
    return [...rounds]
      .flatMap(([file, count]) => (isMost(count) && !isMost(idle.get(file)) ? [file] : []))
      .sort()
  } finally {
    agent.destroy()
    rmSync(folder, { recursive: true })
  }
}
