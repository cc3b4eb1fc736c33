import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCoveredProgram } from './covered-program.ts'

/** A request whose executed files are recorded. Resolves once its reply is complete. */
export type Send = (url: string, agent: Agent) => Promise<unknown>

export interface ExecutedFiles {
  /** Ran in most rounds with a request. */
  readonly usually: ReadonlySet<string>
  /** Ran in some round with a request. */
  readonly ever: ReadonlySet<string>
  /** Ran in some round without one: code of timers, or of a request on a busy machine, where it runs late. */
  readonly idle: ReadonlySet<string>
}

const WARM_UP = 5
const ROUNDS = 5
/** Log lines and metrics of a request are written after its reply, in a turn or two of the event loop. */
const TURNS = 20

/** The files under `src/` in which a daemon runs a function for one request on a kept connection, after similar ones. */
export const executedFiles = async (configuration: string, send: Send): Promise<ExecutedFiles> => {
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
    const counts = new Map<string, number>()
    const idle = new Set<string>()
    const takeTurns = async (): Promise<ReadonlySet<string>> => {
      const files = new Set<string>()
      for (let i = 0; i < TURNS; i++) for (const one of await executed()) files.add(one)
      return files
    }
    for (let round = 0; round < ROUNDS; round++) {
      await takeTurns()
      for (const one of await takeTurns()) idle.add(one)
      await send(url, agent)
      for (const one of await takeTurns()) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    const usually = [...counts].flatMap(([one, count]) => (count > ROUNDS / 2 ? [one] : []))
    return { usually: new Set(usually), ever: new Set(counts.keys()), idle }
  } finally {
    agent.destroy()
    rmSync(folder, { recursive: true })
  }
}
