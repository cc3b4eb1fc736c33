import { type OpenMetricsContentType, Registry } from 'prom-client'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { OtlpFailure } from '../../model/tracing/otlp-transport.ts'
import { Redaction } from '../../model/trace/redact.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { boundedCaches, boundedLabels, boundedQueues } from './bounded-names.ts'
import type { MetricDefinition } from './definitions/metric-definition.ts'
import { isMetricNamed, metricDefinitions } from './definitions/metric-definitions.ts'
import { ExchangeMetrics } from './exchange-metrics.ts'
import { labelName, labelText } from './exposition/label-text.ts'
import { hostParts } from './host-metrics.ts'
import { gcDurations } from './process/gc-durations.ts'
import type { MetricsOptions } from './metrics-options.ts'
import { type MetricSources, sourceParts } from './process/gauge-parts.ts'
import { ProcessParts } from './process/process-parts.ts'
import { familyParts } from './report/family-parts.ts'
import type { FamilyPart } from './report/metrics-report.ts'
import type { DropReason } from '../otel/export-queue.ts'
import type { StoreEvents } from './series/bounded-series.ts'
import { CounterFamily } from './series/counter-family.ts'
import { type Histogram, HistogramFamily } from './series/histogram.ts'

export type { CustomLabel } from './series/added-labels.ts'
export type { MetricsOptions } from './metrics-options.ts'
export type { MetricSources } from './process/gauge-parts.ts'

/** A collector took the records, they were not sent, or the collector did not take them. */
export type OtlpOutcome = 'exported' | 'dropped' | 'failed'

/** Labels of a client connection. */
export interface ConnectionMetricLabels {
  readonly bind: string
  readonly gateway: string | undefined
  readonly listener: string | undefined
  readonly protocol: string
}

/** The metrics of the process. One per process, for its whole life. */
export class Metrics {
  /** For additional metrics of the host program; they appear after the built-in ones. */
  readonly registry = new Registry<OpenMetricsContentType>()
  readonly #tag: string
  readonly #sources: MetricSources
  readonly #isRemoved: (metric: Pick<MetricDefinition, 'name'>) => boolean
  readonly #exchanges: ExchangeMetrics
  readonly #process = new ProcessParts()
  /** Families with few series, in the order of the exposition. */
  readonly #families: (CounterFamily | HistogramFamily)[] = []
  readonly #tlsHandshake: HistogramFamily
  readonly #upstreamConnect: HistogramFamily
  readonly #upstreamCall: HistogramFamily
  /** Looked up once, because every exchange uses one. */
  readonly #exchangeCall: Histogram
  readonly #llmCall: Histogram
  readonly #connections = this.#counter(metricDefinitions.downstreamConnections)
  readonly #receivedBytes = this.#counter(metricDefinitions.downstreamReceivedBytes)
  readonly #sentBytes = this.#counter(metricDefinitions.downstreamSentBytes)
  readonly #datagramsDropped = this.#counter(metricDefinitions.datagramsDropped)
  readonly #traceEventsDropped = this.#counter(metricDefinitions.traceEventsDropped)
  readonly #logLinesDropped = this.#counter(metricDefinitions.logLinesDropped)
  readonly #otlpExported = this.#counter(metricDefinitions.otlpExported)
  readonly #otlpDropped = this.#counter(metricDefinitions.otlpDropped)
  readonly #otlpFailed = this.#counter(metricDefinitions.otlpFailed)
  readonly #queueDropped = this.#counter(metricDefinitions.queueDropped)
  readonly #evictions = this.#counter(metricDefinitions.evictions)
  readonly #guardChecks = this.#counter(metricDefinitions.guardChecks)
  readonly #overflow = this.#counter(metricDefinitions.seriesOverflow)
  readonly #labelOverflow = this.#counter(metricDefinitions.labelOverflow)
  readonly #ejections = this.#counter(metricDefinitions.endpointsLeftOut)
  #isSynchronized = false

  constructor(options: MetricsOptions) {
    const { remove = [], add = [], maxSeries = 20_000, maxLabelValues = 1_000 } = options
    const { histograms: format = 'classic', redaction = new Redaction() } = options
    this.#tag = options.tag
    this.#sources = options.sources ?? {}
    this.#isRemoved = (metric) => remove.some((name) => isMetricNamed(metric, name))
    const histogram = (metric: MetricDefinition) => {
      const family = new HistogramFamily(metric, format, this.#storeEvents)
      this.#families.push(family)
      return family
    }
    this.#tlsHandshake = histogram(metricDefinitions.tlsHandshake)
    this.#upstreamConnect = histogram(metricDefinitions.upstreamConnect)
    this.#upstreamCall = histogram(metricDefinitions.upstreamCall)
    this.#exchangeCall = this.#upstreamCall.series('Primary', 'Http')
    this.#llmCall = this.#upstreamCall.series('Primary', 'Llm')
    this.#families.push(gcDurations(format))
    // From the start, so that the first event is an increase.
    for (const cache of boundedCaches) this.#evictions.add(0, cache)
    for (const queue of boundedQueues) this.#queueDropped.add(0, queue)
    for (const label of [...boundedLabels, ...add.map(({ name }) => labelName(name))])
      this.#labelOverflow.add(0, label)
    this.#exchanges = new ExchangeMetrics({
      store: {
        limit: maxSeries,
        events: this.#storeEvents,
        format,
        onLabelOverflow: (label) => this.#labelOverflow.add(1, label),
      },
      custom: add,
      customOf: options.addOf ?? (() => undefined),
      maxLabelValues,
      redaction,
      isRemoved: this.#isRemoved,
    })
  }

  /** Records an ended exchange. */
  ended(x: Exchange): void {
    const traceId = this.#exchanges.ended(x)
    const { startedAt, respondedAt, backend } = x.upstream
    // Calls to MCP servers are recorded individually: a request may need several, or none.
    if (startedAt === 0 || backend?.protocol === 'mcp') return
    // The response may be that of an attempt before the last one, which then failed.
    const until = respondedAt >= startedAt ? respondedAt : x.downstream.endedAt
    const call = backend?.protocol === 'llm' ? this.#llmCall : this.#exchangeCall
    call.observe((until - startedAt) / 1000, traceId)
  }

  /** Records an ended or refused raw connection, as a request without method and status. */
  rawEnded(session: RawSession): void {
    this.#exchanges.rawEnded(session)
  }

  /** Records a request that was refused before it became an exchange; status 0 means none. */
  refused(labels: RouteLabels, status: number): void {
    this.#exchanges.refused(labels, status)
  }

  /** Records a client connection. */
  opened({ bind, gateway, listener, protocol }: ConnectionMetricLabels): void {
    this.#connections.add(1, bind, gateway, listener, protocol)
  }

  /** Records the end of a client connection. */
  closed(
    { bind, gateway, listener, protocol }: ConnectionMetricLabels,
    receivedBytes: number,
    sentBytes: number,
  ): void {
    this.#receivedBytes.add(receivedBytes, bind, gateway, listener, protocol)
    this.#sentBytes.add(sentBytes, bind, gateway, listener, protocol)
  }

  /** Records a datagram that is dropped. @param reason One of few words, in snake_case. */
  datagramDropped(labels: Omit<ConnectionMetricLabels, 'protocol'>, reason: string): void {
    const { bind, gateway, listener } = labels
    this.#datagramsDropped.add(1, bind, gateway, listener, reason)
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
    this.#isSynchronized = isInForce
  }

  /** Records that passive or active checks took an endpoint out. */
  endpointLeft(backend: string, state: 'evicted' | 'unhealthy'): void {
    this.#ejections.add(1, backend, state === 'evicted' ? 'calls' : 'checks')
  }

  /** Records events of the trace that a slow subscriber has lost. */
  traceEventsDropped(count: number): void {
    this.#traceEventsDropped.add(count)
  }

  /** Records a line of the log that was lost, because its reader is too slow. */
  logLineDropped(): void {
    this.#logLinesDropped.add(1)
  }

  /** Records messages that a full queue has lost. @param queue One of few words, in snake_case. */
  queueDropped(queue: string, count = 1): void {
    this.#queueDropped.add(count, queue)
  }

  /** Records what became of spans or log records; `reason` is for what was not exported. */
  otlpRecords(
    outcome: OtlpOutcome,
    signal: 'traces' | 'logs',
    count: number,
    reason?: DropReason | OtlpFailure,
  ): void {
    if (outcome === 'exported') this.#otlpExported.add(count, signal)
    else (outcome === 'dropped' ? this.#otlpDropped : this.#otlpFailed).add(count, signal, reason)
  }

  /** Records a check of a guard. */
  guardChecked(
    phase: 'request' | 'response',
    action: 'Allow' | 'Mask' | 'Reject' | 'FailOpen' | 'FailClosed',
  ): void {
    this.#guardChecks.add(1, phase === 'request' ? 'Request' : 'Response', action)
  }

  /** Records evictions of a bounded cache. */
  evicted(cache: string, count = 1): void {
    this.#evictions.add(count, cache)
  }

  /** All metrics as plain data, in parts small enough to yield in between. */
  async parts(): Promise<Iterable<FamilyPart>> {
    const [process, host] = await Promise.all([this.#process.read(), hostParts(this.registry)])
    const isRemoved = this.#isRemoved
    const own = this.#ownParts(process)
    return (function* () {
      for (const part of own) if (!isRemoved(part)) yield part
      yield* host
    })()
  }

  *#ownParts(process: readonly FamilyPart[]): Generator<FamilyPart> {
    const { build, configSynchronized } = metricDefinitions
    yield* familyParts(build, [{ labels: labelText(build.labels, [this.#tag]), value: 1 }])
    yield* this.#exchanges.parts()
    for (const family of this.#families) yield* family.parts()
    yield* familyParts(configSynchronized, [{ labels: '', value: this.#isSynchronized ? 1 : 0 }])
    yield* sourceParts(this.#sources)
    yield* process
  }

  get #storeEvents(): StoreEvents {
    return {
      evicted: (count) => this.evicted('series', count),
      overflowed: () => this.#overflow.add(1),
    }
  }

  #counter(metric: MetricDefinition): CounterFamily {
    const family = new CounterFamily(metric, this.#storeEvents)
    this.#families.push(family)
    return family
  }
}
