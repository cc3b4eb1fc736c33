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

/** A configured label; a value that cannot be evaluated is `unknown`. */
export interface CustomLabel {
  readonly name: string
  readonly value: (x: Exchange) => unknown
  /** The value for a raw connection; none if absent. */
  readonly rawValue?: (session: TcpSession) => unknown
}

/** Options of the exchange metrics. */
export interface ExchangeMetricsOptions {
  readonly maxSeries: number
  readonly custom: readonly CustomLabel[]
  readonly redaction: Redaction
  readonly isRemoved: (metric: MetricDefinition) => boolean
  readonly events: StoreEvents
}

/** Maximum length of the value of a configured label. */
const maxValueLength = 128

/** Counters and histograms of exchanges. */
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

  /** Records an ended exchange. */
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
    series.backendSeries.requestProcessing.observe((firstStartedAt - request.startedAt) / 1000)
    if (respondedAt !== 0 && downstream.committedAt >= respondedAt)
      series.backendSeries.responseProcessing.observe((downstream.committedAt - respondedAt) / 1000)
  }

  /** Records an ended raw connection. */
  rawEnded(session: TcpSession): void {
    const { labels, backend = noTcpBackend, reason, startedAt, upstreamStartedAt, endedAt } = session
    const custom = this.#custom.length === 0 ? '' : this.#rawCustomText(session)
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
    yield* this.#perBackend(requestProcessing, (one) =>
      one.requestProcessing.text(requestProcessing.name, one.labels),
    )
    yield* this.#perBackend(responseProcessing, (one) =>
      one.responseProcessing.text(responseProcessing.name, one.labels),
    )
    if (!this.#isRemoved(mcpRequests)) yield* this.#mcp.text()
    yield* this.#llm.text(this.#isRemoved)
  }

  *#perExchange(metric: MetricDefinition, text: (series: ExchangeSeries) => string): Generator<string> {
    if (this.#isRemoved(metric)) return
    yield describeMetric(metric)
    for (const backendSeries of this.#store.backendSeries)
      for (const series of backendSeries.exchanges.values()) yield text(series)
  }

  *#perBackend(metric: MetricDefinition, text: (backendSeries: BackendSeries) => string): Generator<string> {
    if (this.#isRemoved(metric)) return
    yield describeMetric(metric)
    for (const backendSeries of this.#store.backendSeries) yield text(backendSeries)
  }

  /** Redacted: an expression may read a credential, on purpose or not. */
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

/** The backend of a raw connection without a route. */
const noTcpBackend: BackendLabels = { name: 'unknown', type: 'unknown', protocol: 'tcp' }
