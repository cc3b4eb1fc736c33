import type { LlmCall } from '../../model/llm/llm-call.ts'
import type { LlmUsageRecord } from '../../model/llm/usage-record.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { type MetricDefinition } from './definitions/metric-definition.ts'
import { metricDefinitions } from './definitions/metric-definitions.ts'
import { labelText, OVERFLOW } from './exposition/label-text.ts'
import { familyParts } from './report/family-parts.ts'
import type { FamilyPart, SeriesReport } from './report/metrics-report.ts'
import { BoundedSeries } from './series/bounded-series.ts'
import type { Histogram } from './series/histogram.ts'
import type { OnLabelOverflow } from './series/label-values.ts'
import { LlmNames } from './series/llm-label-values.ts'
import { LlmSeries } from './series/llm-series.ts'
import { routeValues } from './series/route-labels.ts'
import type { StoreOptions } from './store-options.ts'

/** Metrics of language model calls, per attempt, so that tokens and cost are charged to the model that used them. */
export class LlmMetrics {
  readonly #names: LlmNames
  readonly #series: BoundedSeries<LlmSeries>
  /** Series by route, found without building labels. */
  #byRoute = new WeakMap<RouteLabels, Map<string, LlmSeries>>()
  /** The series of the last attempt, most often also that of the next. */
  #last: Last | undefined = undefined
  readonly #onLabelOverflow: OnLabelOverflow
  readonly #dropped = new Map<string, number>()

  constructor({ limit, events, format, customNames, onLabelOverflow }: StoreOptions) {
    this.#names = new LlmNames(onLabelOverflow)
    this.#onLabelOverflow = onLabelOverflow
    const seriesEvents = {
      evicted: (count: number) => {
        this.#byRoute = new WeakMap()
        this.#last = undefined
        events.evicted(count)
      },
      overflowed: () => events.overflowed(),
    }
    const make = () => new LlmSeries(format)
    const names = [...genAiRequestDuration.labels, ...customNames]
    // Each is a dozen or more Prometheus series.
    this.#series = new BoundedSeries(Math.ceil(limit / 10), seriesEvents, make, names)
  }

  /**
   * @param custom Configured labels, as text with a leading comma.
   * @param traceId Of the sampled trace of the request.
   */
  ended(route: RouteLabels, call: LlmCall, custom: string, traceId?: string): void {
    for (const record of call.records) this.#seriesOf(route, call, record, custom).ended(record, traceId)
    for (const field of call.dropped) {
      const isKnown = this.#dropped.has(field) || this.#dropped.size < FIELDS_LIMIT
      if (!isKnown) this.#onLabelOverflow('field')
      const known = isKnown ? field : OVERFLOW
      this.#dropped.set(known, (this.#dropped.get(known) ?? 0) + 1)
    }
  }

  *parts(isRemoved: (metric: MetricDefinition) => boolean): Generator<FamilyPart> {
    this.#series.scraped()
    const each = this.#each.bind(this, isRemoved)
    yield* each(genAiTokenUsage, ({ tokens }, labels) =>
      Array.from(tokens, ([kind, histogram]) => histogram.report(`gen_ai_token_type="${kind}",${labels}`)),
    )
    yield* each(genAiCost, ({ costUsd }, labels) =>
      costUsd === undefined ? [] : [{ labels, value: Number(costUsd.toPrecision(12)) }],
    )
    const histograms: readonly (readonly [MetricDefinition, (series: LlmSeries) => Histogram])[] = [
      [genAiRequestDuration, (series) => series.duration],
      [genAiTimePerOutputToken, (series) => series.timePerOutputToken],
      [genAiTimeToFirstToken, (series) => series.timeToFirstToken],
    ]
    for (const [metric, histogram] of histograms)
      yield* each(metric, (series, labels) => [histogram(series).report(labels)])
    yield* each(costLookups, ({ lookups }, labels) =>
      Array.from(lookups, ([status, value]) => ({ labels: `status="${status}",${labels}`, value })),
    )
    if (isRemoved(genAiDroppedFields)) return
    const dropped = Array.from(this.#dropped, ([field, value]) => ({
      labels: labelText(genAiDroppedFields.labels, [field]),
      value,
    }))
    yield* familyParts(genAiDroppedFields, dropped)
  }

  *#each(
    isRemoved: (metric: MetricDefinition) => boolean,
    metric: MetricDefinition,
    report: (series: LlmSeries, labels: string) => readonly (SeriesReport | undefined)[],
  ): Generator<FamilyPart> {
    if (isRemoved(metric)) return
    yield* familyParts(
      metric,
      this.#series.entries().flatMap(([labels, series]) => report(series, labels)),
    )
  }

  #seriesOf(route: RouteLabels, { operation }: LlmCall, record: LlmUsageRecord, custom: string): LlmSeries {
    const { provider, outcome } = record
    const request = this.#names.value(
      'gen_ai_request_model',
      provider,
      record.requestModel,
      outcome === 'answered',
    )
    const response = this.#names.value('gen_ai_response_model', provider, record.responseModel, true)
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

/** More than exist; bounds the memory in case of a bug. */
const FIELDS_LIMIT = 500
