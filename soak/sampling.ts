import type { ResourceUse } from './gateway.ts'

/** The use of resources at a time. */
export interface Sample extends ResourceUse {
  /** Since the beginning of the load. */
  readonly seconds: number
}

/** The change of a value over samples: the slope of the regression line, times the time between first and last. */
export const growthOf = (samples: readonly Sample[], value: (sample: Sample) => number): number => {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last || first === last) return 0
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const meanSeconds = mean(({ seconds }) => seconds)
  const meanValue = mean(value)
  const covariance = mean((sample) => (sample.seconds - meanSeconds) * (value(sample) - meanValue))
  const variance = mean(({ seconds }) => (seconds - meanSeconds) ** 2)
  return (covariance / variance) * (last.seconds - first.seconds)
}
