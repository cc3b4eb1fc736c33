import type { ResourceUse } from './gateway.ts'
import type { Count } from './load.ts'
import { growthOf, type Sample } from './sampling.ts'

/** What a run has shown. */
export interface Run {
  readonly counts: readonly Count[]
  readonly samples: readonly Sample[]
  readonly errors: readonly string[]
  /** Before the load, and when everything of it should be gone. */
  readonly before: ResourceUse
  readonly after: ResourceUse
  readonly exitCode: number | null
  /** Panels of the dashboards without series; undefined if there is no Prometheus. */
  readonly emptyPanels: readonly string[] | undefined
}

/** One condition of a good run. */
export interface Check {
  readonly name: string
  readonly isMet: boolean
  readonly measured: string
}

const megabyte = 1_000_000
/** Heap growth for each ten minutes. */
const heapBytesPerTenMinutes = megabyte
/** Growth by chance; in a run of less than ten minutes also that of code and caches that are still warming up. */
const heapNoiseBytes = (seconds: number): number => (seconds < 600 ? 12 : 1.5) * megabyte
/** What may come and go with connections at the time of a sample. */
const noiseOf = { descriptors: 25, children: 8 }

/** In runs of half an hour the heap rose by some 8 MB in the first quarter of an hour, and by 0 to 1.4 MB in the second. */
const longestWarmUpSeconds = 900

/** Samples before belong to the warm-up: the first half, of a short run the first fifth, but at least 30 s. */
const warmUpSeconds = (seconds: number): number =>
  seconds < 600 ? Math.max(30, seconds / 5) : Math.min(longestWarmUpSeconds, seconds / 2)

/** Checks a run. */
export const checksOf = ({
  counts,
  samples,
  errors,
  before,
  after,
  exitCode,
  emptyPanels,
}: Run): readonly Check[] => {
  const lastSeconds = samples.at(-1)?.seconds ?? 0
  const warm = samples.filter(({ seconds }) => seconds >= warmUpSeconds(lastSeconds))
  const tenMinutes = (lastSeconds - (warm[0]?.seconds ?? 0)) / 600
  const heapGrowth = growthOf(warm, ({ heapBytes }) => heapBytes)
  const heapLimit = Math.max(heapBytesPerTenMinutes * tenMinutes, heapNoiseBytes(lastSeconds))
  const failures = counts.reduce((sum, count) => sum + count.failures, 0)
  const flat = (name: 'descriptors' | 'children'): Check => {
    const growth = growthOf(warm, (sample) => sample[name])
    return {
      name: `${name} are flat`,
      isMet: growth <= noiseOf[name],
      measured: `${growth.toFixed(1)}, at most ${noiseOf[name]}`,
    }
  }
  return [
    { name: 'no unexpected reply', isMet: failures === 0, measured: `${failures}` },
    {
      name: 'samples after the warm-up',
      isMet: warm.length >= 5,
      measured: `${warm.length} of ${samples.length}`,
    },
    {
      name: 'live heap',
      isMet: heapGrowth <= heapLimit,
      measured: `${inMegabytes(heapGrowth)}, at most ${inMegabytes(heapLimit)}`,
    },
    flat('descriptors'),
    flat('children'),
    { name: 'no exchange left', isMet: after.exchanges === 0, measured: `${after.exchanges}` },
    { name: 'no child process left', isMet: after.children === 0, measured: `${after.children}` },
    {
      name: 'no descriptor left',
      isMet: after.descriptors <= before.descriptors + descriptorsOfUse,
      measured: `${after.descriptors}, ${before.descriptors} before the load`,
    },
    { name: 'no error in the log', isMet: errors.length === 0, measured: errors[0] ?? '0' },
    { name: 'exit code 0', isMet: exitCode === 0, measured: String(exitCode) },
    ...(emptyPanels === undefined
      ? []
      : [
          {
            name: 'every panel of the dashboards has series',
            isMet: emptyPanels.length === 0,
            measured: emptyPanels.join('; ') || 'yes',
          },
        ]),
  ]
}

/** Opened once, at first use, for good: by Node for its thread pool, timers and entropy, and the key set's connection. */
export const descriptorsOfUse = 4

/** A number of bytes, readable. */
export const inMegabytes = (bytes: number): string => `${(bytes / megabyte).toFixed(2)} MB`
