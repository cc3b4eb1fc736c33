import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { metricDefinitions } from '../definitions/metric-definitions.ts'
import { type Histogram, HistogramFamily, type HistogramFormat } from '../series/histogram.ts'

/**
 * The pauses of garbage collection since the first call with this format. There is one observer of a format in a
 * process, as there is one heap: all gateways of a process report the same pauses. It does not keep the process alive.
 */
export const gcDurations = (format: HistogramFormat): HistogramFamily => {
  const family = observed.get(format) ?? observe(format)
  observed.set(format, family)
  return family
}

const observed = new Map<HistogramFormat, HistogramFamily>()

const observe = (format: HistogramFormat): HistogramFamily => {
  const family = new HistogramFamily(metricDefinitions.gcDuration, format, {
    evicted: () => undefined,
    overflowed: () => undefined,
  })
  const byKind = new Map<unknown, Histogram>(kinds.map(([kind, name]) => [kind, family.series(name)]))
  new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as readonly GcEntry[])
      byKind.get(detail?.kind)?.observe(duration / 1000)
  }).observe({ entryTypes: ['gc'] })
  return family
}

/** An entry of the type `gc`. */
type GcEntry = PerformanceEntry & { readonly detail?: { readonly kind?: number } }

const kinds = [
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak_callbacks'],
] as const
