import { Counter, Gauge, type OpenMetricsContentType, Registry } from 'prom-client'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { TcpSession } from '../../model/exchange/tcp-connection.ts'
import { Redaction } from '../../model/trace/redact.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { isMetricNamed, type MetricDefinition, metricDefinitions } from './definitions.ts'
import { type CustomLabel, ExchangeMetrics } from './exchange-metrics.ts'
import { HistogramFamily } from './histogram.ts'
import { describeMetric, labelText, sample } from './open-metrics.ts'
import { type MetricSources, registerProcessMetrics } from './process-metrics.ts'

export type { CustomLabel } from './exchange-metrics.ts'
export type { MetricSources } from './process-metrics.ts'

/** Options of the metrics. */
export interface MetricsOptions {
  /** The running version. */
  readonly tag: string
  /** Metrics to omit; prefix, `_total` and unit may be left out. */
  readonly remove?: readonly string[]
  /** Additional labels of exchange metrics. */
  readonly add?: readonly CustomLabel[]
  readonly sources?: MetricSources
  /** Redacts credentials in added labels; the default covers the usual headers. */
  readonly redaction?: Redaction
  /** Maximum number of exchange series; further ones count under the label `other`. Default 20,000. */
  readonly maxSeries?: number
}

/** Labels of a client connection. */
export interface ConnectionMetricLabels {
  readonly bind: string
  readonly gateway: string | undefined
  readonly listener: string | undefined
  readonly protocol: string
}

/** The metrics of the process as OpenMetrics text. One per process, for its whole life. */
export class Metrics {
  /** For additional metrics; they appear after the built-in ones. */
  readonly registry = new Registry<OpenMetricsContentType>()
  readonly #tag: string
  readonly #isRemoved: (metric: MetricDefinition) => boolean
  readonly #exchanges: ExchangeMetrics
  readonly #tlsHandshake = new HistogramFamily(metricDefinitions.tlsHandshake)
  readonly #upstreamConnect = new HistogramFamily(metricDefinitions.upstreamConnect)
  readonly #upstreamCall = new HistogramFamily(metricDefinitions.upstreamCall)
  /** Looked up once, because every exchange uses one. */
  readonly #exchangeCall = this.#upstreamCall.series('Primary', 'Http')
  readonly #llmCall = this.#upstreamCall.series('Primary', 'Llm')
  readonly #connections: Counter
  readonly #receivedBytes: Counter
  readonly #sentBytes: Counter
  readonly #synchronized: Gauge
  readonly #traceEventsDropped: Counter
  readonly #logLinesDropped: Counter
  readonly #evictions: Counter
  readonly #guardChecks: Counter
  readonly #overflow: Counter
  readonly #ejections: Counter

  constructor(options: MetricsOptions) {
    const {
      tag,
      remove = [],
      add = [],
      sources = {},
      maxSeries = 20_000,
      redaction = new Redaction(),
    } = options
    this.registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    this.#tag = tag
    this.#isRemoved = (metric) => remove.some((name) => isMetricNamed(metric, name))
    this.#connections = this.#counter(metricDefinitions.downstreamConnections)
    this.#receivedBytes = this.#counter(metricDefinitions.downstreamReceivedBytes)
    this.#sentBytes = this.#counter(metricDefinitions.downstreamSentBytes)
    this.#synchronized = new Gauge({
      ...described(metricDefinitions.configSynchronized),
      registers: [this.registry],
    })
    this.#traceEventsDropped = this.#counter(metricDefinitions.traceEventsDropped)
    this.#logLinesDropped = this.#counter(metricDefinitions.logLinesDropped)
    this.#evictions = this.#counter(metricDefinitions.evictions)
    this.#guardChecks = this.#counter(metricDefinitions.guardChecks)
    this.#overflow = this.#counter(metricDefinitions.seriesOverflow)
    this.#ejections = this.#counter(metricDefinitions.endpointsLeftOut)
    registerProcessMetrics(this.registry, sources)
    this.#exchanges = new ExchangeMetrics({
      maxSeries,
      custom: add,
      redaction,
      isRemoved: this.#isRemoved,
      events: {
        evicted: (count) => this.evicted('series', count),
        overflowed: () => this.#overflow.inc(),
      },
    })
    for (const metric of Object.values(metricDefinitions))
      if (this.#isRemoved(metric)) this.registry.removeSingleMetric(registeredName(metric))
  }

  /** Records an ended exchange. */
  ended(x: Exchange): void {
    this.#exchanges.ended(x)
    const { startedAt, respondedAt, backend } = x.upstream
    // Calls to MCP servers are recorded individually: a request may need several, or none.
    if (startedAt === 0 || backend?.protocol === 'mcp') return
    // The response may be that of an attempt before the last one, which then failed.
    const until = respondedAt >= startedAt ? respondedAt : x.downstream.endedAt
    const call = backend?.protocol === 'llm' ? this.#llmCall : this.#exchangeCall
    call.observe((until - startedAt) / 1000)
  }

  /** Records an ended or refused raw connection, as a request without method and status. */
  rawEnded(session: TcpSession): void {
    this.#exchanges.rawEnded(session)
  }

  /** Records a request that was refused before it became an exchange; status 0 means none. */
  refused(labels: RouteLabels, status: number): void {
    this.#exchanges.refused(labels, status)
  }

  /** Records a client connection. */
  opened({ bind, gateway, listener, protocol }: ConnectionMetricLabels): void {
    this.#connections.inc(connectionLabels(bind, gateway, listener, protocol))
  }

  /** Records the end of a client connection. */
  closed(
    { bind, gateway, listener, protocol }: ConnectionMetricLabels,
    receivedBytes: number,
    sentBytes: number,
  ): void {
    const labels = connectionLabels(bind, gateway, listener, protocol)
    this.#receivedBytes.inc(labels, receivedBytes)
    this.#sentBytes.inc(labels, sentBytes)
  }

  /** Records a TLS handshake with a client. */
  tlsHandshake({ bind, gateway, listener, protocol }: ConnectionMetricLabels, seconds: number): void {
    this.#tlsHandshake.series(bind, gateway, listener, protocol).observe(seconds)
  }

  /** Records a connection to an upstream. */
  upstreamConnected(transport: 'plaintext' | 'tls', seconds: number): void {
    this.#upstreamConnect.series(transport).observe(seconds)
  }

  /** Records a call of the gateway, successful or not. {@link ended} records those of exchanges. */
  upstreamCall(kind: 'Primary' | 'Policy' | 'Mirror', subtype: string, seconds: number): void {
    this.#upstreamCall.series(kind, subtype).observe(seconds)
  }

  /** Records whether the newest configuration is in force. */
  configSynchronized(isInForce: boolean): void {
    this.#synchronized.set(isInForce ? 1 : 0)
  }

  /** Records that passive or active checks took an endpoint out. */
  endpointLeft(backend: string, state: 'evicted' | 'unhealthy'): void {
    this.#ejections.inc({ backend, cause: state === 'evicted' ? 'calls' : 'checks' })
  }

  traceEventsDropped(count: number): void {
    this.#traceEventsDropped.inc(count)
  }

  logLineDropped(): void {
    this.#logLinesDropped.inc()
  }

  /** Records a check of a guard. */
  guardChecked(
    phase: 'request' | 'response',
    action: 'Allow' | 'Mask' | 'Reject' | 'FailOpen' | 'FailClosed',
  ): void {
    this.#guardChecks.inc({ phase: phase === 'request' ? 'Request' : 'Response', action })
  }

  /** Records evictions of a bounded cache. */
  evicted(cache: string, count = 1): void {
    this.#evictions.inc({ cache }, count)
  }

  /** All metrics as OpenMetrics text, in parts small enough to yield in between. */
  async text(): Promise<Iterable<string>> {
    const { build, tlsHandshake, upstreamConnect, upstreamCall } = metricDefinitions
    const registered = (await this.registry.metrics()).replace(/# EOF\n$/, '')
    const families: readonly (readonly [MetricDefinition, HistogramFamily])[] = [
      [tlsHandshake, this.#tlsHandshake],
      [upstreamConnect, this.#upstreamConnect],
      [upstreamCall, this.#upstreamCall],
    ]
    const isRemoved = this.#isRemoved
    const exchanges = this.#exchanges
    const tag = labelText(build.labels, [this.#tag])
    return (function* () {
      if (!isRemoved(build)) yield describeMetric(build) + sample(`${build.name}_info`, tag, 1)
      yield* exchanges.text()
      for (const [metric, family] of families) if (!isRemoved(metric)) yield* family.text()
      yield registered
      yield '# EOF\n'
    })()
  }

  #counter(metric: MetricDefinition): Counter {
    return new Counter({ ...described(metric), labelNames: metric.labels, registers: [this.registry] })
  }
}

const described = (metric: MetricDefinition) => ({ name: registeredName(metric), help: metric.help })

/** prom-client requires the `_total` of a counter, and removes it where OpenMetrics has none. */
const registeredName = ({ name, type }: MetricDefinition): string =>
  type === 'counter' ? `${name}_total` : name

const connectionLabels = (
  bind: string,
  gateway = 'unknown',
  listener = 'unknown',
  protocol: string,
): Record<string, string> => ({ bind, gateway, listener, protocol })
