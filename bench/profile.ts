/** The cost of profiles: what a CPU profile does to the latency of traffic, and samples of allocations to its cost. */
import { Agent, get } from 'node:http'
import { runProfileWorker } from '../src/admin/profiling/run-profile-worker.ts'
import { startHeapSampling } from '../src/admin/profiling/heap-sampling.ts'
import { costUs, stopAll } from './proxy.ts'
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const ROUNDS = 7
const SECONDS = 5
/** Requests per second: enough that they meet samples, and far from saturation. */
const RATE = 400

export const profileFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const gateway = await startGateway(
    configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
  )
  const load = { url: `${gateway.url}/`, connections: 32, seconds: 2 }
  await costUs(gateway.pid, { ...load, seconds: 4 })
  const latency = await latencyRatio(gateway)
  const sampled = await sampledRatio(gateway, () => costUs(gateway.pid, load))
  await stopAll([upstream, gateway])
  return [
    {
      name: 'profile.cpu.p99Ratio',
      value: latency.ratio,
      unit: '× alone',
      note: `p99 ${latency.aloneMs.toFixed(2)} ms alone, ${latency.profiledMs.toFixed(2)} ms profiled`,
    },
    { name: 'profile.heap.ratio', value: sampled, unit: '× without' },
    ...(await stalls()),
  ]
}

const latencyRatio = async (gateway: Gateway) => {
  const alone: number[] = []
  const profiled: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await p99Ms(gateway.url))
    const profile = fetch(`${gateway.adminUrl}/debug/pprof/profile?seconds=${SECONDS}`)
    profiled.push(await p99Ms(gateway.url))
    const { status } = await profile
    if (status !== 200) throw new Error(`the profile has status ${status}`)
  }
  const ratio = median(profiled.map((ms, i) => ms / (alone[i] ?? NaN)))
  return { ratio, aloneMs: median(alone), profiledMs: median(profiled) }
}

/** The 99th percentile of the latency at a fixed rate, in milliseconds. */
const p99Ms = async (url: string): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const took: number[] = []
  const open: Promise<void>[] = []
  const began = performance.now()
  for (let i = 0; i < RATE * SECONDS; i++) {
    const dueMs = (i * 1000) / RATE - (performance.now() - began)
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    open.push(timedGet(agent, url, took))
  }
  await Promise.all(open)
  agent.destroy()
  took.sort((a, b) => a - b)
  return took[Math.floor(took.length * 0.99)] ?? NaN
}

const timedGet = (agent: Agent, url: string, into: number[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    get(url, { agent }, (res) => {
      res.resume().on('end', () => {
        into.push(performance.now() - began)
        resolve()
      })
    }).on('error', reject)
  })

/** The cost of requests with samples of allocations, beside that without right before and after. */
const sampledRatio = async (gateway: Gateway, cost: () => Promise<number>): Promise<number> => {
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cost()
    gateway.sampleAllocations(false)
    const without = await cost()
    gateway.sampleAllocations(true)
    ratios.push((before + (await cost())) / (2 * without))
  }
  return median(ratios)
}

/** How long the event loop stands still: to read the samples of a large heap, and to begin a CPU profile. */
const stalls = async (): Promise<Figure[]> => {
  const sampling = startHeapSampling()
  const kept = Array.from({ length: 5_000_000 }, (_, i) => ({ i, text: `x${i}`, list: [i] }))
  const reads: number[] = []
  const starts: number[] = []
  const signal = AbortSignal.timeout(60_000)
  for (let i = 0; i < 9; i++) {
    const [readMs] = timed(() => sampling?.read())
    const [startMs, profile] = timed(() =>
      runProfileWorker({ kind: 'cpu', sampling: { seconds: 1, frequency: 100 } }, signal),
    )
    reads.push(readMs)
    starts.push(startMs)
    await profile
  }
  sampling?.stop()
  const heapMb = (process.memoryUsage().heapUsed / 2 ** 20).toFixed(0)
  const note = `with ${kept.length} objects, a heap of ${heapMb} MB`
  return [
    { name: 'profile.heap.readMs', value: median(reads), unit: 'ms', note },
    { name: 'profile.cpu.startMs', value: median(starts), unit: 'ms', note },
  ]
}

const timed = <Result>(call: () => Result): [ms: number, result: Result] => {
  const began = performance.now()
  const result = call()
  return [performance.now() - began, result]
}
