import type { MetricDefinition } from './definitions.ts'
import { Histogram } from './histogram.ts'
import { describe, labelText } from './open-metrics.ts'

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
    yield describe(this.#definition)
    for (const [labels, series] of this.#series) yield series.text(this.#definition.name, labels)
  }
}
