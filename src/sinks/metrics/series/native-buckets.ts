import type { NativeReport } from '../report/metrics-report.ts'

/**
 * Exponential buckets of a histogram: eight for each power of two, as many as there were different values, at most
 * {@link NATIVE_BUCKETS_LIMIT}. When there would be more, neighbours are joined.
 */
export class NativeBuckets {
  #schema = FIRST_SCHEMA
  #zeroCount = 0
  #counts = new Map<number, number>()

  observe(value: number): void {
    // Also what is no number, which belongs to no bucket.
    if (!(value > NATIVE_ZERO_THRESHOLD)) {
      this.#zeroCount++
      return
    }
    const index = Math.ceil(Math.log2(Math.min(value, Number.MAX_VALUE)) * 2 ** this.#schema)
    this.#counts.set(index, (this.#counts.get(index) ?? 0) + 1)
    if (this.#counts.size > NATIVE_BUCKETS_LIMIT) this.#join()
  }

  get report(): NativeReport {
    const buckets = [...this.#counts].toSorted(([a], [b]) => a - b)
    return { schema: this.#schema, zeroCount: this.#zeroCount, buckets }
  }

  #join(): void {
    const joined = new Map<number, number>()
    for (const [index, count] of this.#counts) {
      const at = coarser(index, 1)
      joined.set(at, (joined.get(at) ?? 0) + count)
    }
    this.#counts = joined
    this.#schema--
    if (joined.size > NATIVE_BUCKETS_LIMIT) this.#join()
  }
}

/** The index of a bucket after its neighbours were joined so many times. */
export const coarser = (index: number, times: number): number => Math.ceil(index / 2 ** times)

/** Buckets of one series. */
export const NATIVE_BUCKETS_LIMIT = 160

/** Values up to here count as zero: 2^-128, as in the client libraries of Prometheus. */
export const NATIVE_ZERO_THRESHOLD = 2 ** -128

/** Each bucket ends at 1.09 times the end of the one before. */
const FIRST_SCHEMA = 3
