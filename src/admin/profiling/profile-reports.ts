import type { ProcessReport } from '../process-report.ts'
import type { CpuSampling } from './cpu-sampler.ts'
import { emptyHeapProfile, type HeapSampling } from './heap-sampling.ts'
import { mergeProfiles } from './merge-profiles.ts'
import { runProfileWorker } from './run-profile-worker.ts'

/** What to profile, and the signal that ends it early. */
export interface CpuProfileQuery extends CpuSampling {
  readonly signal: AbortSignal
}

/** Where a profile shows how much of the CPU each function uses: compressed, in the format of pprof. */
export const cpuProfileReport: ProcessReport<Uint8Array, CpuProfileQuery> = {
  name: 'cpu profile',
  collect: ({ seconds, frequency, signal }) =>
    runProfileWorker({ kind: 'cpu', sampling: { seconds, frequency } }, signal),
  merge: mergeProfiles,
}

/**
 * Where the memory in use was allocated: compressed, in the format of pprof.
 *
 * @param sampling Undefined if this process does not sample; the profile then has a comment about it, and no samples.
 */
export const heapProfileReport = (
  sampling: HeapSampling | undefined,
): ProcessReport<Uint8Array, AbortSignal> => ({
  name: 'heap profile',
  collect: (signal) => {
    const profile = sampling?.read() ?? {
      ...emptyHeapProfile,
      beganAtMs: Date.now(),
      comments: ['this process does not sample allocations'],
    }
    // A text crosses to the other thread faster than objects.
    return runProfileWorker({ kind: 'encode', profile: JSON.stringify(profile) }, signal)
  },
  merge: mergeProfiles,
})
