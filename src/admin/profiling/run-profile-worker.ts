import { extname } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import type { Collection } from './cpu-sampler.ts'
import type { ProfileTask } from './profile-worker.ts'

/**
 * Runs a task in a worker thread and returns the profile, in the compressed format of pprof.
 *
 * @throws The reason of the signal if it aborts; the error of the thread.
 */
export const runProfileWorker = async (task: ProfileTask, signal: AbortSignal): Promise<Uint8Array> => {
  signal.throwIfAborted()
  const worker = new Worker(program, {
    workerData: task,
    execArgv: [],
    // Bounded: the worst that a profile can do is to fail.
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const observer = task.kind === 'cpu' ? reportCollections(worker) : undefined
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  worker.once('message', (bytes: ArrayBuffer) => resolve(new Uint8Array(bytes)))
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread that takes profiles has ended')))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    observer?.disconnect()
    await worker.terminate()
  }
}

/** Reports the garbage collections of this thread to a worker. */
const reportCollections = (worker: Worker): PerformanceObserver => {
  const observer = new PerformanceObserver((list) => {
    const { timeOrigin } = performance
    const collections = list
      .getEntries()
      .map(({ startTime, duration }): Collection => [
        timeOrigin + startTime,
        timeOrigin + startTime + duration,
      ])
    worker.postMessage(collections)
  })
  observer.observe({ entryTypes: ['gc'] })
  return observer
}

const program = new URL(`./profile-worker${extname(import.meta.url)}`, import.meta.url)
