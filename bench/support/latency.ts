import { Agent, request } from 'node:http'
import { median } from './report.ts'

/** A request that is repeated. */
export interface Call {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Calls per second, of each of the two. */
const RATE = 200
const SECONDS = 4

/** Number of rounds, in turns. */
const ROUNDS = 3

/** The latency that two programs add to a call, in milliseconds, and the median difference. */
export const addedBeside = async (
  call: (count: number) => Call,
  other: (count: number) => Call,
  straight: (count: number) => Call,
): Promise<{ readonly ours: number; readonly others: number; readonly more: number }> => {
  const ours: number[] = []
  const others: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await addedMs(call, straight))
    others.push(await addedMs(other, straight))
  }
  const more = median(ours.map((value, i) => value - (others[i] ?? NaN)))
  return { ours: median(ours), others: median(others), more }
}

/**
 * The latency that a callout adds to a call, and that of the callout alone, in milliseconds, and the median
 * difference.
 */
export const addedBesideOwn = async (
  call: (count: number) => Call,
  without: (count: number) => Call,
  asking: Call,
): Promise<{ readonly added: number; readonly own: number; readonly more: number }> => {
  const added: number[] = []
  const own: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    added.push(await addedMs(call, without))
    own.push(await medianMs(asking))
  }
  const more = median(added.map((value, i) => value - (own[i] ?? NaN)))
  return { added: median(added), own: median(own), more }
}

/**
 * The difference of the median latencies of two calls, in milliseconds. Both are made at a fixed rate and in turns,
 * whatever the responses take, so that neither delays itself.
 */
const addedMs = async (call: (count: number) => Call, beside: (count: number) => Call): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const ours: number[] = []
  const theirs: number[] = []
  const open: Promise<void>[] = []
  const began = performance.now()
  for (let i = 0; i < RATE * SECONDS; i++) {
    const dueMs = (i * 1000) / RATE - (performance.now() - began)
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    open.push(timed(agent, call(i), ours))
    await new Promise((resolve) => setTimeout(resolve, 500 / RATE))
    open.push(timed(agent, beside(i), theirs))
  }
  await Promise.all(open)
  agent.destroy()
  // The first ones open connections.
  return median(ours.slice(RATE)) - median(theirs.slice(RATE))
}

/** The median latency of one call, made at the same rate, in milliseconds. */
const medianMs = async (call: Call): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const took: number[] = []
  const open: Promise<void>[] = []
  for (let i = 0; i < RATE * SECONDS; i++) {
    open.push(timed(agent, call, took))
    await new Promise((resolve) => setTimeout(resolve, 1000 / RATE))
  }
  await Promise.all(open)
  agent.destroy()
  return median(took.slice(RATE))
}

const timed = (agent: Agent, { url, method, headers, body }: Call, into: number[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const sent = request(url, { agent, method, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => {
        into.push(performance.now() - began)
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`status ${answer.statusCode ?? 0} at ${url}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
