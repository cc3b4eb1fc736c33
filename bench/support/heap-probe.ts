/**
 * Preloaded into a measured gateway: replies to the message `heap` with the bytes in use after collections, and stops
 * or starts the samples of allocations.
 */
import { createRequire } from 'node:module'

process.on('message', (message) => {
  if (message === 'stop sampling') profiler().stopSamplingHeapProfiler()
  if (message === 'start sampling') profiler().startSamplingHeapProfiler(512 * 1024, 32)
  if (message !== 'heap') return
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  setImmediate(() => {
    globalThis.gc?.()
    process.send?.(process.memoryUsage().heapUsed)
  })
})
process.channel?.unref()

const profiler = () =>
  createRequire(import.meta.url)(
    '@datadog/pprof/out/src/heap-profiler-bindings.js',
  ) as typeof import('@datadog/pprof/out/src/heap-profiler-bindings.js')
