import type { MetricDefinition } from '../definitions/metric-definition.ts'
import { labelText } from '../exposition/label-text.ts'
import { familyParts } from '../report/family-parts.ts'
import type { FamilyPart, ValueReport } from '../report/metrics-report.ts'
import { BoundedSeries, type StoreEvents, type UsedSeries } from './bounded-series.ts'
import { FAMILY_LIMIT } from './histogram.ts'

/** A counter with few label values; at most a thousand series. One without labels starts at 0. */
export class CounterFamily {
  readonly definition: MetricDefinition
  readonly #series: BoundedSeries<UsedCounter>

  constructor(definition: MetricDefinition, events: StoreEvents) {
    this.definition = definition
    this.#series = new BoundedSeries(FAMILY_LIMIT, events, () => ({ usedAt: 0, value: 0 }), definition.labels)
    if (definition.labels.length === 0) this.add(0)
  }

  /** Adds to the series of these label values. */
  add(value: number, ...labels: readonly (string | undefined)[]): void {
    this.#series.get(labelText(this.definition.labels, labels)).value += value
  }

  *parts(): Generator<FamilyPart> {
    this.#series.scraped()
    yield* familyParts(
      this.definition,
      this.#series.entries().map(([labels, { value }]): ValueReport => ({ labels, value })),
    )
  }
}

interface UsedCounter extends UsedSeries {
  value: number
}
