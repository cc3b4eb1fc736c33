import type { Exchange } from '../../model/exchange/exchange.ts'
import type { OtelSettings } from '../../model/resources/process-settings.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'
import type { Redaction } from '../../model/trace/redact.ts'
import type { Collector } from '../../model/tracing/otlp-transport.ts'
import type { Span, SpanAttributes } from '../../model/tracing/span.ts'
import type { AccessLogRules } from '../access-log/access-log-policy.ts'
import { loadSpanEncoder, type SpanRecord } from './encode-spans.ts'
import { EpochClock } from './epoch-clock.ts'
import { CollectorQueues } from './collector-queues.ts'
import type { ExportEvents, ExportQueue } from './export-queue.ts'
import { loadLogEncoder, type LogRecord } from './encode-logs.ts'
import { logRecord } from './log-record.ts'
import { completeServerSpan } from './server-span.ts'

/** What exporting depends on. */
export interface OtlpExportOptions {
  readonly settings: OtelSettings
  readonly version: string
  readonly redaction: Redaction
  /** The rules of traces for an exchange. */
  readonly traceRules: (x: Exchange) => AccessLogRules | undefined
  /** The rules of exported access logs for an exchange; undefined if they are not exported. */
  readonly logRules: (x: Exchange) => AccessLogRules | undefined
  /** The resource that a collector gets, under a configuration. */
  readonly resourceOf: (collector: Collector, snapshot: Snapshot) => SpanAttributes
  readonly events: (signal: 'traces' | 'logs') => ExportEvents
}

/** Exports spans and access logs over OTLP. Nothing is loaded, kept or computed before a configuration needs it. */
export class OtlpExport {
  readonly #options: OtlpExportOptions
  readonly #spans: CollectorQueues<SpanRecord>
  readonly #logs: CollectorQueues<LogRecord>

  constructor(options: OtlpExportOptions) {
    this.#options = options
    const { settings, events, version, resourceOf } = options
    const shared = { clock: new EpochClock(), version, resourceOf }
    this.#spans = new CollectorQueues('traces', {
      ...shared,
      limits: settings.traces,
      events: () => events('traces'),
      load: loadSpanEncoder,
    })
    this.#logs = new CollectorQueues('logs', {
      ...shared,
      limits: settings.logs,
      events: () => events('logs'),
      load: loadLogEncoder,
    })
  }

  /** Sends to the collectors of a configuration from now on. What waits is sent there as well. */
  apply(snapshot: Snapshot): void {
    this.#spans.apply(snapshot)
    this.#logs.apply(snapshot)
  }

  /** Records an exchange that has ended. */
  readonly ended = (x: Exchange): void => {
    const { tracing, accessLog } = x.frontend
    if (x.span && tracing) {
      const queue = this.#spans.of(tracing)
      if (queue) this.#endSpans(x, x.span.spans, queue)
    }
    if (accessLog?.otlp) {
      const queue = this.#logs.of(accessLog.otlp)
      if (queue) this.#log(x, queue)
    }
  }

  /** Exports what waits, and drops what is not exported by the deadline. */
  async close(deadlineMs: number): Promise<void> {
    await Promise.all([this.#spans.close(deadlineMs), this.#logs.close(deadlineMs)])
  }

  #endSpans(x: Exchange, spans: SpanRecord['spans'], queue: ExportQueue<SpanRecord>): void {
    const rules = this.#options.traceRules(x)
    if (rules?.filter && !rules.filter(x)) {
      spans.complete(undefined)
      return
    }
    const push = (span: Span): void => {
      queue.push({ spans, span })
    }
    completeServerSpan(spans.server, x, rules, this.#options.redaction)
    push(spans.server)
    for (const call of spans.complete(push)) push(call)
    if (spans.dropped > 0) queue.drop(spans.dropped, 'too_many')
  }

  #log(x: Exchange, queue: ExportQueue<LogRecord>): void {
    const rules = this.#options.logRules(x)
    if (rules && (!rules.filter || rules.filter(x))) queue.push(logRecord(x, rules, this.#options.redaction))
  }
}
