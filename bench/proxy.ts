/** CPU time per request of the gateway beside the bare proxy and, where it is installed, nginx, in turns, on the same upstream and load. */
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { type Load, run } from './support/load.ts'
import { startNginx } from './support/nginx.ts'
import { cpuUs, type Program, start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1)
/** Longer than V8 takes to optimize the gateway on a slow machine. */
const WARM_UP_SECONDS = 8

interface Shape {
  readonly name: string
  readonly path: string
  readonly connections: number
  readonly method?: 'GET' | 'POST'
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly numbered?: boolean
  /** Number of rounds. On a shared machine single rounds differ by a third, the median of sixty by a fortieth. */
  readonly rounds?: number
}

const shapes: readonly Shape[] = [
  { name: 'get', path: '/', connections: 32 },
  { name: 'post', path: '/', connections: 32, method: 'POST', body: 'x'.repeat(1024) },
  { name: 'download100k', path: '/100k', connections: 16 },
  { name: 'sse', path: '/sse', connections: 8 },
]

/** CPU microseconds of `pid` per request under the load. */
export const costUs = async (pid: number, load: Load): Promise<number> => {
  const before = cpuUs(pid)
  const { requests, failed } = await run(load)
  if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} requests failed at ${load.url}`)
  return (cpuUs(pid) - before) / requests
}

/** The cost of several targets in turns, A B C A B C …, so that a drift of the machine affects all alike. */
export const compare = async (
  targets: readonly { readonly pid: number; readonly url: string }[],
  shape: Shape,
): Promise<number[][]> => {
  const { path, rounds = ROUNDS, ...rest } = shape
  const costs: number[][] = targets.map(() => [])
  for (const target of targets)
    await costUs(target.pid, { ...rest, url: target.url + path, seconds: WARM_UP_SECONDS })
  for (let round = 0; round < rounds; round++)
    for (const [i, target] of targets.entries())
      costs[i]?.push(await costUs(target.pid, { ...rest, url: target.url + path, seconds: SECONDS }))
  return costs
}

/** Median over the rounds of the ratio of two targets. */
export const ratio = (a: readonly number[], b: readonly number[]): number =>
  median(a.map((value, i) => value / (b[i] as number)))

export const proxyFigures = async (only?: readonly string[]): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const host = new URL(upstream.url).host
  const route = `  - backends: [{ host: "${host}" }]`
  const bare = await start('./bare-proxy.ts', { UPSTREAM: upstream.url })
  const plain = await startGateway(configuration(route))
  const logged = await startGateway(configuration(route, { accessLog: true }))
  const nginx = await startNginx(upstream.url)
  const targets = [plain, bare, logged, ...(nginx ? [nginx] : [])]
  const figures: Figure[] = []
  for (const shape of shapes) {
    if (only && !only.includes(shape.name)) continue
    const [a = [], b = [], c = [], d] = await compare(targets, shape)
    const note = `gateway ${median(a).toFixed(1)} µs, bare ${median(b).toFixed(1)} µs, logged ${median(c).toFixed(1)} µs`
    figures.push({ name: `${shape.name}.ratio`, value: ratio(a, b), unit: '× bare', note })
    figures.push({ name: `${shape.name}.logged.ratio`, value: ratio(c, b), unit: '× bare' })
    if (d)
      figures.push({
        name: `${shape.name}.nginx.ratio`,
        value: ratio(d, b),
        unit: '× bare',
        note: `nginx ${median(d).toFixed(1)} µs`,
      })
  }
  await stopAll([upstream, ...targets])
  return figures
}

export const stopAll = async (programs: readonly (Program | Gateway)[]): Promise<void> => {
  await Promise.all(programs.map((program) => program.stop()))
}
