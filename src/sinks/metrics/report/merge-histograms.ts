import { coarser, NATIVE_BUCKETS_LIMIT } from '../series/native-buckets.ts'
import type { Exemplar, HistogramReport, NativeReport } from './metrics-report.ts'

/** The sum of two histograms. Of exemplars, the later one of each bucket is kept. */
export const mergeHistograms = (a: HistogramReport, b: HistogramReport): HistogramReport => {
  const native = a.native && b.native ? mergeNative(a.native, b.native) : (a.native ?? b.native)
  const exemplars = mergeExemplars(a.exemplars, b.exemplars)
  return {
    labels: a.labels,
    count: a.count + b.count,
    sum: a.sum + b.sum,
    bounds: a.bounds,
    counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)),
    ...(exemplars && { exemplars }),
    ...(native && { native }),
  }
}

const mergeExemplars = (
  a: HistogramReport['exemplars'],
  b: HistogramReport['exemplars'],
): HistogramReport['exemplars'] => {
  if (!a || !b) return a ?? b
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => later(a[i], b[i]))
}

const later = (a: Exemplar | undefined, b: Exemplar | undefined): Exemplar | undefined =>
  !a || (b && b.atSeconds > a.atSeconds) ? b : a

/** At the coarser resolution of the two, and coarser still until the buckets are few enough. */
const mergeNative = (a: NativeReport, b: NativeReport): NativeReport => {
  let schema = Math.min(a.schema, b.schema)
  const counts = new Map<number, number>()
  for (const { schema: from, buckets } of [a, b])
    for (const [index, count] of buckets) {
      const at = coarser(index, from - schema)
      counts.set(at, (counts.get(at) ?? 0) + count)
    }
  let merged: ReadonlyMap<number, number> = counts
  while (merged.size > NATIVE_BUCKETS_LIMIT) {
    const next = new Map<number, number>()
    for (const [index, count] of merged) {
      const at = coarser(index, 1)
      next.set(at, (next.get(at) ?? 0) + count)
    }
    merged = next
    schema--
  }
  const buckets = [...merged].toSorted(([x], [y]) => x - y)
  return { schema, zeroCount: a.zeroCount + b.zeroCount, buckets }
}
