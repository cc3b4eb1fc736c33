import { availableParallelism } from 'node:os'
import { configuration, startGateway } from './support/gateway.ts'
import { route } from './support/mcp-client.ts'
import { type Figure, median } from './support/report.ts'

/** CPU time of each program before it responds, and the number of rounds: the median counts. */
const WORK_MS = [600, 300, 200, 200, 100]
const ROUNDS = 5

/**
 * The first list of several programs, beside that of the slowest of them alone. They start at the same time: with a
 * core for each, the list takes as long as the slowest; with fewer, as long as their total work on the available
 * cores.
 */
export const coldStartFigures = async (list: (url: string) => Promise<void>): Promise<Figure[]> => {
  const program = new URL('./support/slow-mcp-program.ts', import.meta.url).pathname
  const target = (work: number, i: number): string =>
    `{ name: t${i}, stdio: { cmd: "${process.execPath}", args: ["${program}"], env: { WORK_MS: "${work}" } } }`
  const cold = async (works: readonly number[]): Promise<number> => {
    const gateway = await startGateway(configuration(route(works.map(target))))
    try {
      const began = performance.now()
      await list(`${gateway.url}/mcp`)
      return performance.now() - began
    } finally {
      await gateway.stop()
    }
  }
  const [slowest = 0] = WORK_MS
  const alone: number[] = []
  const together: number[] = []
  const apart: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    alone.push(await cold([slowest]))
    together.push(await cold(WORK_MS))
    // The cost of starting a program, without its computation.
    apart.push(await cold([0]))
  }
  const cores = availableParallelism()
  const work = WORK_MS.reduce((sum, one) => sum + one, 0) + WORK_MS.length * median(apart)
  const least = Math.max(median(alone), work / cores)
  return [
    {
      name: 'mcp.coldStart.ratio',
      value: median(together) / least,
      unit: '× least',
      note: `first list of ${WORK_MS.length} programs ${median(together).toFixed(0)} ms, of the slowest alone ${median(alone).toFixed(0)} ms; all their work takes ${(work / cores).toFixed(0)} ms on ${cores} cores`,
    },
  ]
}
