import type { LlmCall } from '../../model/llm/llm-call.ts'
import type { LlmUsageRecord } from '../../model/llm/usage-record.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { BoundedSeries } from './bounded-series.ts'
import { type MetricDefinition, metricDefinitions } from './definitions.ts'
import type { Histogram } from './histogram.ts'
import { LlmNames } from './llm-label-values.ts'
import { LlmSeries } from './llm-series.ts'
import { describeMetric, labelText, sample } from './open-metrics.ts'
import { routeValues } from './route-labels.ts'
import type { StoreEvents } from './series-store.ts'

/** Metrics of language model calls, per attempt, so that tokens and cost are charged to the model that used them. */
export class LlmMetrics {
  readonly #names = new LlmNames()
  readonly #series: BoundedSeries<LlmSeries>
  /** Series by route, found without building labels. */
  #byRoute = new WeakMap<RouteLabels, Map<string, LlmSeries>>()
  /** The series of the last attempt, most often also that of the next. */
  #last: Last | undefined = undefined
  readonly #dropped = new Map<string, number>()

  constructor(limit: number, events: StoreEvents) {
    // Each is a dozen or more Prometheus series.
    const seriesEvents: StoreEvents = {
      evicted: (count) => {
        this.#byRoute = new WeakMap()
        this.#last = undefined
        events.evicted(count)
      },
      overflowed: () => events.overflowed(),
    }
    this.#series = new BoundedSeries(Math.ceil(limit / 10), seriesEvents, () => new LlmSeries(), overflow)
  }

  /** @param custom Configured labels, as text with a leading comma. */
  ended(route: RouteLabels, call: LlmCall, custom: string): void {
    for (const record of call.records) this.#seriesOf(route, call, record, custom).ended(record)
    for (const field of call.dropped) {
      const known = this.#dropped.has(field) || this.#dropped.size < FIELDS_LIMIT ? field : 'other'
      this.#dropped.set(known, (this.#dropped.get(known) ?? 0) + 1)
    }
  }

  *text(isRemoved: (metric: MetricDefinition) => boolean): Generator<string> {
    this.#series.scraped()
    yield* this.#each(genAiTokenUsage, isRemoved, (series, labels) => {
      let text = ''
      for (const [kind, histogram] of series.tokens)
        text += histogram.text(genAiTokenUsage.name, `gen_ai_token_type="${kind}",${labels}`)
      return text
    })
    yield* this.#each(genAiCost, isRemoved, ({ costUsd }, labels) =>
      costUsd === undefined ? '' : sample(`${genAiCost.name}_total`, labels, Number(costUsd.toPrecision(12))),
    )
    const histograms: readonly (readonly [MetricDefinition, (series: LlmSeries) => Histogram])[] = [
      [genAiRequestDuration, (series) => series.duration],
      [genAiTimePerOutputToken, (series) => series.timePerOutputToken],
      [genAiTimeToFirstToken, (series) => series.timeToFirstToken],
    ]
    for (const [metric, histogram] of histograms)
      yield* this.#each(metric, isRemoved, (series, labels) => histogram(series).text(metric.name, labels))
    yield* this.#each(costLookups, isRemoved, ({ lookups }, labels) => {
      let text = ''
      for (const [status, count] of lookups)
        text += sample(`${costLookups.name}_total`, `status="${status}",${labels}`, count)
      return text
    })
    if (isRemoved(genAiDroppedFields)) return
    yield describeMetric(genAiDroppedFields)
    for (const [field, count] of this.#dropped)
      yield sample(`${genAiDroppedFields.name}_total`, labelText(['field'], [field]), count)
  }

  *#each(
    metric: MetricDefinition,
    isRemoved: (metric: MetricDefinition) => boolean,
    text: (series: LlmSeries, labels: string) => string,
  ): Generator<string> {
    if (isRemoved(metric)) return
    yield describeMetric(metric)
    for (const [labels, series] of this.#series.entries()) yield text(series, labels)
  }

  #seriesOf(route: RouteLabels, { operation }: LlmCall, record: LlmUsageRecord, custom: string): LlmSeries {
    const { provider, outcome } = record
    const request = this.#names.label(provider, record.requestModel, outcome === 'answered')
    const response = this.#names.label(provider, record.responseModel, true)
    const last = this.#last
    if (
      last?.route === route &&
      last.operation === operation &&
      last.provider === provider &&
      last.request === request &&
      last.response === response &&
      last.custom === custom
    )
      return this.#series.used(last.series)
    const key = `${operation}\n${provider}\n${request ?? ''}\n${response ?? ''}\n${custom}`
    let known = this.#byRoute.get(route)
    if (!known) this.#byRoute.set(route, (known = new Map<string, LlmSeries>()))
    const found = known.get(key)
    if (found) {
      this.#last = { route, operation, provider, request, response, custom, series: found }
      return this.#series.used(found)
    }
    const values = [operation, provider, request, response, ...routeValues(route)]
    const series = this.#series.get(labelText(genAiRequestDuration.labels, values) + custom)
    if (this.#series.isKept(series)) known.set(key, series)
    return series
  }
}

/** A series and its lookup values: comparing them is faster than building the key. */
interface Last {
  readonly route: RouteLabels
  readonly operation: string
  readonly provider: string
  readonly request: string | undefined
  readonly response: string | undefined
  readonly custom: string
  readonly series: LlmSeries
}

const {
  genAiTokenUsage,
  genAiCost,
  genAiRequestDuration,
  genAiTimePerOutputToken,
  genAiTimeToFirstToken,
  costLookups,
  genAiDroppedFields,
} = metricDefinitions

const overflow = labelText(
  genAiRequestDuration.labels,
  genAiRequestDuration.labels.map(() => 'other'),
)

/** More than exist; bounds the memory in case of a bug. */
const FIELDS_LIMIT = 500
