import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Redaction } from '../../model/trace/redact.ts'
import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { BackendLabels, RouteLabels } from '../../model/resources/snapshot.ts'
import { type MetricDefinition } from './definitions/metric-definition.ts'
import { metricDefinitions } from './definitions/metric-definitions.ts'
import { sampledTraceId } from './exemplar-trace.ts'
import { labelName, overflowLabels } from './exposition/label-text.ts'
import { LlmMetrics } from './llm-metrics.ts'
import { McpMetrics } from './mcp-metrics.ts'
import { familyParts } from './report/family-parts.ts'
import type { FamilyPart, SeriesReport } from './report/metrics-report.ts'
import type { BackendSeries, ExchangeSeries } from './series/exchange-series.ts'
import { AddedLabels, type CustomLabel } from './series/added-labels.ts'
import { LabelValues } from './series/label-values.ts'
import { SeriesStore } from './series/series-store.ts'
import type { StoreOptions } from './store-options.ts'

/** Options of the exchange metrics. */
export interface ExchangeMetricsOptions {
  readonly store: Omit<StoreOptions, 'customNames'>
  readonly custom: readonly CustomLabel[]
  /** The labels that the frontend policies add; the same list for the same policy. They replace equal ones of `custom`. */
  readonly customOf: (x: Exchange | RawSession) => readonly CustomLabel[] | undefined
  /** Maximum number of values of each configured label. */
  readonly maxLabelValues: number
  readonly redaction: Redaction
  readonly isRemoved: (metric: MetricDefinition) => boolean
}

/** Counters and histograms of exchanges. */
export class ExchangeMetrics {
  readonly #store: SeriesStore
  readonly #mcp: McpMetrics
  readonly #llm: LlmMetrics
  /** By the name of the label: policies may come and go, and may have equal labels. */
  readonly #values = new Map<string, LabelValues>()
  readonly #custom: readonly CustomLabel[]
  readonly #customOf: ExchangeMetricsOptions['customOf']
  readonly #added: AddedLabels
  readonly #addedByPolicy = new WeakMap<readonly CustomLabel[], AddedLabels>()
  readonly #maxLabelValues: number
  readonly #onLabelOverflow: StoreOptions['onLabelOverflow']
  readonly #redaction: Redaction
  readonly #isRemoved: (metric: MetricDefinition) => boolean

  constructor({ store, custom, customOf, maxLabelValues, redaction, isRemoved }: ExchangeMetricsOptions) {
    const { limit, events, format, onLabelOverflow } = store
    this.#customOf = customOf
    this.#maxLabelValues = maxLabelValues
    this.#onLabelOverflow = onLabelOverflow
    this.#redaction = redaction
    this.#added = this.#labelsOf(custom)
    const { names } = this.#added
    const overflowCustom = names.length === 0 ? '' : `,${overflowLabels(names)}`
    const options = { ...store, customNames: names }
    this.#store = new SeriesStore(limit, events, format, overflowCustom)
    this.#mcp = new McpMetrics(options)
    this.#llm = new LlmMetrics(options)
    this.#custom = custom
    this.#isRemoved = isRemoved
  }

  /**
   * Records an ended exchange.
   *
   * @returns The id of its sampled trace, for exemplars.
   */
  ended(x: Exchange): string | undefined {
    const { request, reply, upstream, downstream, protocol } = x
    const { firstStartedAt, respondedAt } = upstream
    const status = reply && downstream.committed ? reply.status : 0
    const custom = this.#addedTo(x).of(x)
    const traceId = sampledTraceId(x)
    const series = this.#store.series(
      x.labels,
      upstream.backend,
      custom,
      request.method,
      status,
      reply?.reason,
    )
    series.requests++
    if (upstream.attempts > 1) series.retries += upstream.attempts - 1
    series.responseBytes += downstream.sentBytes
    series.duration.observe((downstream.endedAt - request.startedAt) / 1000, traceId)
    if (protocol.mcp) this.#mcp.ended(x.labels, protocol.mcp, custom)
    if (protocol.llm) this.#llm.ended(x.labels, protocol.llm, custom, traceId)
    if (firstStartedAt === 0) return traceId
    series.backendSeries.requestProcessing.observe((firstStartedAt - request.startedAt) / 1000, traceId)
    if (respondedAt !== 0 && downstream.committedAt >= respondedAt)
      series.backendSeries.responseProcessing.observe((downstream.committedAt - respondedAt) / 1000, traceId)
    return traceId
  }

  /** Records an ended raw connection. */
  rawEnded(session: RawSession): void {
    const {
      labels,
      backend = noBackend[session.transport],
      reason,
      startedAt,
      upstreamStartedAt,
      endedAt,
    } = session
    const custom = this.#addedTo(session).ofRaw(session)
    const series = this.#store.series(labels, backend, custom, 'unknown', 0, reason)
    series.requests++
    series.responseBytes += session.sentBytes
    series.duration.observe((endedAt - startedAt) / 1000)
    if (upstreamStartedAt !== 0)
      series.backendSeries.requestProcessing.observe((upstreamStartedAt - startedAt) / 1000)
  }

  /** Records a request that was refused before it became an exchange. */
  refused(labels: RouteLabels, status: number): void {
    this.#store.series(labels, undefined, '', 'unknown', status, 'InvalidRequest').requests++
  }

  /** The families, part by part. */
  *parts(): Generator<FamilyPart> {
    this.#store.scraped()
    for (const values of this.#values.values()) values.scraped()
    const { requests, retries, responseBytes, requestDuration, requestProcessing, responseProcessing } =
      metricDefinitions
    const { mcpRequests } = metricDefinitions
    yield* this.#perExchange(requests, (one) => ({ labels: one.labels, value: one.requests }))
    yield* this.#perExchange(retries, (one) =>
      one.retries === 0 ? undefined : { labels: one.labels, value: one.retries },
    )
    yield* this.#perExchange(responseBytes, (one) => ({ labels: one.labels, value: one.responseBytes }))
    yield* this.#perExchange(requestDuration, (one) => one.duration.report(one.labels))
    yield* this.#perBackend(requestProcessing, (one) => one.requestProcessing.report(one.labels))
    yield* this.#perBackend(responseProcessing, (one) => one.responseProcessing.report(one.labels))
    if (!this.#isRemoved(mcpRequests)) yield* this.#mcp.parts()
    yield* this.#llm.parts(this.#isRemoved)
  }

  *#perExchange(
    metric: MetricDefinition,
    report: (series: ExchangeSeries) => SeriesReport | undefined,
  ): Generator<FamilyPart> {
    if (this.#isRemoved(metric)) return
    yield* familyParts(
      metric,
      this.#store.backendSeries.flatMap(({ exchanges }) => exchanges.values().map(report)),
    )
  }

  *#perBackend(
    metric: MetricDefinition,
    report: (backendSeries: BackendSeries) => SeriesReport | undefined,
  ): Generator<FamilyPart> {
    if (this.#isRemoved(metric)) return
    yield* familyParts(metric, this.#store.backendSeries.map(report))
  }

  /** The labels of the frontend policies of an exchange or a raw connection, and those of the process. */
  #addedTo(x: Exchange | RawSession): AddedLabels {
    const own = this.#customOf(x)
    if (!own) return this.#added
    let added = this.#addedByPolicy.get(own)
    if (!added) {
      const names = new Set(own.map(({ name }) => labelName(name)))
      const others = this.#custom.filter(({ name }) => !names.has(labelName(name)))
      this.#addedByPolicy.set(own, (added = this.#labelsOf([...others, ...own])))
    }
    return added
  }

  #labelsOf(labels: readonly CustomLabel[]): AddedLabels {
    return new AddedLabels(labels, (name) => this.#valuesOf(name), this.#redaction)
  }

  #valuesOf(name: string): LabelValues {
    let values = this.#values.get(name)
    if (!values) {
      values = new LabelValues(name, this.#maxLabelValues, this.#onLabelOverflow)
      this.#values.set(name, values)
    }
    return values
  }
}

/** The backend of a raw connection without a route. */
const noBackend: Readonly<Record<RawSession['transport'], BackendLabels>> = {
  tcp: { name: 'unknown', type: 'unknown', protocol: 'tcp' },
  udp: { name: 'unknown', type: 'unknown', protocol: 'udp' },
}
