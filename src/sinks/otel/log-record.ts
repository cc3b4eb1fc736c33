import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Redaction } from '../../model/trace/redact.ts'
import type { SpanAttributes } from '../../model/tracing/span.ts'
import { parseTraceParent } from '../../protocols/trace-context.ts'
import { exchangeError, writeExchange, writeLocation } from '../access-log/access-log.ts'
import type { AccessLogRules } from '../access-log/access-log-policy.ts'
import { writeAdded } from '../access-log/custom-fields.ts'
import { AttributeFields } from './attribute-fields.ts'

/** A record of the access log for a collector. */
export interface LogRecord {
  /** `performance.now()`. */
  readonly at: number
  readonly severity: 'INFO' | 'WARN' | 'ERROR'
  readonly attributes: SpanAttributes
  readonly context:
    { readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | undefined
}

/** The record of an exchange that ended: the fields of the access log, typed. */
export const logRecord = (x: Exchange, rules: AccessLogRules, redaction: Redaction): LogRecord => {
  const omit = rules.omit.size > 0 ? rules.omit : undefined
  const fields = new AttributeFields({}, omit)
  writeLocation(fields, x.labels)
  writeExchange(fields, x)
  if (rules.add.length > 0) writeAdded(new AttributeFields(fields.attributes), x, rules.add, redaction)
  return {
    at: performance.now(),
    severity: severityOf(x),
    attributes: fields.attributes,
    context: contextOf(x),
  }
}

/** As metrics and dashboards see them: failures of the service are errors, refused and cut requests warnings. */
const severityOf = (x: Exchange): LogRecord['severity'] => {
  const status = x.reply?.status ?? 0
  if (status >= 500) return 'ERROR'
  return status >= 400 || exchangeError(x) !== undefined ? 'WARN' : 'INFO'
}

/** The server span, or the caller's span if the request is not sampled here. */
const contextOf = ({ span, request }: Exchange): LogRecord['context'] => {
  if (span) {
    const { spans } = span
    return { traceId: spans.traceId, spanId: spans.server.spanId, traceFlags: spans.flags }
  }
  const traceParent = request.headers.get('traceparent')
  const parent = traceParent === undefined ? undefined : parseTraceParent(traceParent)
  return parent && { traceId: parent.traceId, spanId: parent.spanId, traceFlags: parent.sampled ? 1 : 0 }
}
