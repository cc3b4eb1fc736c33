import type { MetricDefinition } from './definitions.ts'
import { boundText, describeMetric, labelText } from './open-metrics.ts'

/** A histogram with few label values. */
export class HistogramFamily {
  readonly #definition: MetricDefinition
  readonly #series = new Map<string, Histogram>()

  constructor(definition: MetricDefinition) {
    this.#definition = definition
  }

  /** The series of these label values. */
  series(...labels: readonly (string | undefined)[]): Histogram {
    const text = labelText(this.#definition.labels, labels)
    let series = this.#series.get(text)
    if (!series) this.#series.set(text, (series = new Histogram(this.#definition.buckets ?? [])))
    return series
  }

  *text(): Generator<string> {
    yield describeMetric(this.#definition)
    for (const [labels, series] of this.#series) yield series.text(this.#definition.name, labels)
  }
}

/**
 * One histogram series: plain counters, so that an observation is a short loop. prom-client looks up its labels for
 * each observation: 0.7 µs instead of 0.02.
 */
export class Histogram {
  readonly #bounds: readonly number[]
  /** One count per bound, and one for larger values. */
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let i = 0
    while (i < bounds.length && value > (bounds[i] as number)) i++
    this.#counts[i] = (this.#counts[i] as number) + 1
    this.#sum += value
  }

  /** The samples; empty without observations. */
  text(name: string, labels: string): string {
    const after = labels === '' ? '' : `,${labels}`
    let buckets = ''
    let count = 0
    for (const [i, one] of this.#counts.entries()) {
      count += one
      const bound = this.#bounds[i]
      buckets += `${name}_bucket{le="${bound === undefined ? '+Inf' : boundText(bound)}"${after}} ${count}\n`
    }
    if (count === 0) return ''
    const braces = labels === '' ? '' : `{${labels}}`
    return `${name}_sum${braces} ${this.#sum}\n${name}_count${braces} ${count}\n${buckets}`
  }
}
