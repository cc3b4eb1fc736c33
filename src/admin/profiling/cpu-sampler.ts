import { InspectedMainThread } from './inspected-main-thread.ts'
import { type ProfileFrame, runtimeFrame, StackTable, type StackProfile } from './stack-profile.ts'
import { MainThreadState } from './thread-state.ts'

/** What to sample. */
export interface CpuSampling {
  readonly seconds: number
  /** Samples per second while the thread uses the CPU. */
  readonly frequency: number
}

/** A garbage collection: begin and end in milliseconds since 1970. */
export type Collection = readonly [beginMs: number, endMs: number]

/**
 * Samples the stacks of the main thread from this thread, in regular intervals while the main thread runs. The main
 * thread is interrupted for about 0.1 ms a sample, and for nothing else (docs/decisions/0037).
 *
 * A sample is the stack at the next point where V8 may be interrupted: where a function or the next turn of a loop
 * begins. The time of system calls and other native code counts for the function that follows.
 *
 * @param collections Collections so far, in order; may grow meanwhile.
 * @throws The error of the inspector, or the system's error where the CPU time of threads cannot be read.
 */
export const sampleMainThread = async (
  sampling: CpuSampling,
  collections: readonly Collection[],
): Promise<StackProfile> => {
  const state = new MainThreadState()
  const inspected = new InspectedMainThread()
  const table = new StackTable()
  try {
    await inspected.prepare()
    const beganAtMs = Date.now()
    const began = performance.now()
    const beganCpuNs = state.cpuNs
    const samples = await takeSamples(sampling, state, inspected, table)
    addSamples(table, samples, state.cpuNs - beganCpuNs, collections)
    return {
      valueTypes: [
        ['samples', 'count'],
        ['cpu', 'nanoseconds'],
      ],
      period: { type: ['cpu', 'nanoseconds'], value: Math.round(1e9 / sampling.frequency) },
      beganAtMs,
      durationMs: performance.now() - began,
      frames: table.frames,
      stacks: table.stacks,
      comments: [],
    }
  } finally {
    inspected.close()
    state.close()
  }
}

/** Takes the samples of the whole duration. */
const takeSamples = async (
  { seconds, frequency }: CpuSampling,
  state: MainThreadState,
  inspected: InspectedMainThread,
  table: StackTable,
): Promise<Sample[]> => {
  const samples: Sample[] = []
  const intervalMs = 1000 / frequency
  const began = performance.now()
  const end = began + seconds * 1000
  let pending: Sample | undefined
  let failure: unknown
  let due = began + intervalMs
  for (; due < end && failure === undefined; due = Math.max(due + intervalMs, performance.now())) {
    await until(due)
    if (!state.isRunning) continue
    // The thread has not been interrupted since the last sample: native code runs, or the collector.
    if (pending) pending.ticks++
    else {
      const sample: Sample = (pending = { atMs: now(), ticks: 1, frames: [] })
      inspected.stack().then(
        (text) => {
          pending = undefined
          sample.frames = parseStack(text).map((frame) => table.frameId(frame))
          samples.push(sample)
        },
        (error: unknown) => (failure = error),
      )
    }
  }
  if (failure !== undefined) throw failure as Error
  await until(end)
  return samples
}

interface Sample {
  readonly atMs: number
  /** Number of intervals that it represents. */
  ticks: number
  frames: number[]
}

/** Each tick has the same share of the CPU time that was used, so that the sum is what the system has measured. */
const addSamples = (
  table: StackTable,
  samples: readonly Sample[],
  cpuNs: number,
  collections: readonly Collection[],
): void => {
  const ticks = samples.reduce((sum, sample) => sum + sample.ticks, 0)
  const collector = runtimeFrame('(garbage collector)')
  let next = 0
  for (const sample of samples) {
    while (next < collections.length && (collections[next]?.[1] ?? 0) < sample.atMs) next++
    const isCollection = (collections[next]?.[0] ?? Infinity) <= sample.atMs
    const frames = isCollection ? [table.frameId(collector), ...sample.frames] : sample.frames
    table.add(frames, [sample.ticks, Math.round((cpuNs * sample.ticks) / ticks)])
  }
}

/** Parses the result of `sampleStack`. Without a frame the thread was between two callbacks. */
const parseStack = (text: string): ProfileFrame[] => {
  // The first line is the function that the inspector called.
  const lines = text.split('\n').slice(1, -1)
  return lines.length === 0 ? [eventLoop] : lines.map(parseFrame)
}

const parseFrame = (line: string): ProfileFrame => {
  const [name = '', script = '', ...numbers] = line.split('\t')
  const [at, column, startLine] = numbers.map((text) => Number(text) || 0)
  return { name, script, line: at ?? 0, column: column ?? 0, startLine: startLine ?? 0 }
}

const eventLoop = runtimeFrame('(event loop)')

const now = (): number => performance.timeOrigin + performance.now()

/** Timers have a resolution of a millisecond, too coarse for 1,000 samples a second: the thread sleeps instead. */
const until = (time: number): Promise<void> => {
  const waitMs = time - performance.now()
  if (waitMs > MAX_SLEEP_MS)
    return new Promise((resolve) => setTimeout(resolve, waitMs - 1)).then(() => until(time))
  if (waitMs > 0) Atomics.wait(sleep, 0, 0, waitMs)
  return new Promise((resolve) => setImmediate(resolve))
}

const MAX_SLEEP_MS = 3
const sleep = new Int32Array(new SharedArrayBuffer(4))
