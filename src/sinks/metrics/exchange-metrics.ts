import { toText } from '../../cel/values/values.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { hideSecrets, type Redaction } from '../../model/trace/redact.ts'
import type { TcpSession } from '../../model/exchange/tcp-connection.ts'
import type { BackendLabels, RouteLabels } from '../../model/resources/snapshot.ts'
import { type MetricDefinition, metricDefinitions } from './definitions.ts'
import { LlmMetrics } from './llm-metrics.ts'
import { McpMetrics } from './mcp-metrics.ts'
import { describeMetric, labelText, sample } from './open-metrics.ts'
import type { ExchangeSeries, BackendSeries } from './series.ts'
import { SeriesStore, type StoreEvents } from './series-store.ts'

/** A label of the user's; a value that cannot be had says `unknown`. */
export interface CustomLabel {
  readonly name: string
  readonly value: (x: Exchange) => unknown
  /** The value for a raw connection; without it there is none. */
  readonly rawValue?: (session: TcpSession) => unknown
}

/** What is counted, and how much of it. */
export interface ExchangeMetricsOptions {
  readonly maxSeries: number
  readonly custom: readonly CustomLabel[]
  readonly redaction: Redaction
  readonly isRemoved: (metric: MetricDefinition) => boolean
  readonly events: StoreEvents
}

/** Longest value of a label of the user's. */
const maxValueLength = 128

/** Counts and times exchanges. */
export class ExchangeMetrics {
  readonly #store: SeriesStore
  readonly #mcp: McpMetrics
  readonly #llm: LlmMetrics
  readonly #names: readonly string[]
  readonly #custom: readonly CustomLabel[]
  readonly #redaction: Redaction
  readonly #isRemoved: (metric: MetricDefinition) => boolean

  constructor({ maxSeries, custom, redaction, isRemoved, events }: ExchangeMetricsOptions) {
    this.#store = new SeriesStore(maxSeries, events)
    this.#mcp = new McpMetrics(maxSeries, events)
    this.#llm = new LlmMetrics(maxSeries, events)
    this.#names = custom.map(({ name }) => name.replace(/[^a-zA-Z0-9_]/g, '_'))
    this.#custom = custom
    this.#redaction = redaction
    this.#isRemoved = isRemoved
  }

  /** An exchange is over. */
  ended(x: Exchange): void {
    const { request, reply, upstream, downstream, protocol } = x
    const { firstStartedAt, respondedAt } = upstream
    const status = reply && downstream.committed ? reply.status : 0
    const custom = this.#custom.length === 0 ? '' : this.#customText(x)
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
    series.duration.observe((downstream.endedAt - request.startedAt) / 1000)
    if (protocol.mcp) this.#mcp.ended(x.labels, protocol.mcp, custom)
    if (protocol.llm) this.#llm.ended(x.labels, protocol.llm, custom)
    if (firstStartedAt === 0) return
    series.place.requestProcessing.observe((firstStartedAt - request.startedAt) / 1000)
    if (respondedAt !== 0 && downstream.committedAt >= respondedAt)
      series.place.responseProcessing.observe((downstream.committedAt - respondedAt) / 1000)
  }

  /** A raw connection is over. */
  rawEnded(session: TcpSession): void {
    const { labels, backend = noTcpBackend, reason, startedAt, upstreamStartedAt, endedAt } = session
    const custom = this.#custom.length === 0 ? '' : this.#rawCustomText(session)
    const series = this.#store.series(labels, backend, custom, 'unknown', 0, reason)
    series.requests++
    series.responseBytes += session.sentBytes
    series.duration.observe((endedAt - startedAt) / 1000)
    if (upstreamStartedAt !== 0)
      series.place.requestProcessing.observe((upstreamStartedAt - startedAt) / 1000)
  }

  /** A request was refused before it could become an exchange. */
  refused(labels: RouteLabels, status: number): void {
    this.#store.series(labels, undefined, '', 'unknown', status, 'InvalidRequest').requests++
  }

  /** The samples, series by series. */
  *text(): Generator<string> {
    this.#store.scraped()
    const { requests, retries, responseBytes, requestDuration, requestProcessing, responseProcessing } =
      metricDefinitions
    const { mcpRequests } = metricDefinitions
    yield* this.#perExchange(requests, (one) => sample(`${requests.name}_total`, one.labels, one.requests))
    yield* this.#perExchange(retries, (one) =>
      one.retries === 0 ? '' : sample(`${retries.name}_total`, one.labels, one.retries),
    )
    yield* this.#perExchange(responseBytes, (one) =>
      sample(`${responseBytes.name}_total`, one.labels, one.responseBytes),
    )
    yield* this.#perExchange(requestDuration, (one) => one.duration.text(requestDuration.name, one.labels))
    yield* this.#perPlace(requestProcessing, (one) =>
      one.requestProcessing.text(requestProcessing.name, one.labels),
    )
    yield* this.#perPlace(responseProcessing, (one) =>
      one.responseProcessing.text(responseProcessing.name, one.labels),
    )
    if (!this.#isRemoved(mcpRequests)) yield* this.#mcp.text()
    yield* this.#llm.text(this.#isRemoved)
  }

  *#perExchange(metric: MetricDefinition, text: (series: ExchangeSeries) => string): Generator<string> {
    if (this.#isRemoved(metric)) return
    yield describeMetric(metric)
    for (const place of this.#store.places) for (const series of place.exchanges.values()) yield text(series)
  }

  *#perPlace(metric: MetricDefinition, text: (place: BackendSeries) => string): Generator<string> {
    if (this.#isRemoved(metric)) return
    yield describeMetric(metric)
    for (const place of this.#store.places) yield text(place)
  }

  /** What an expression fetches may be a credential, on purpose or not. */
  #customText(x: Exchange): string {
    return this.#labelText(
      this.#custom.map(({ value }) => value(x)),
      [...this.#redaction.secrets(x.request.headers.raw), ...(x.policy.secrets ?? [])],
    )
  }

  #rawCustomText(session: TcpSession): string {
    return this.#labelText(
      this.#custom.map(({ rawValue }) => rawValue?.(session)),
      this.#redaction.secrets(session.connection.connectHeaders ?? []),
    )
  }

  #labelText(values: readonly unknown[], secrets: readonly string[]): string {
    const texts = values.map((value) => {
      const text = toText(value)
      return text === undefined ? undefined : hideSecrets(text, secrets).slice(0, maxValueLength)
    })
    return `,${labelText(this.#names, texts)}`
  }
}

/** The backend of a raw connection that no route took. */
const noTcpBackend: BackendLabels = { name: 'unknown', type: 'unknown', protocol: 'tcp' }
