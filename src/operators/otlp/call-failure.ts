import { Fault } from '../../model/exchange/fault.ts'
import type { OtlpResponse } from '../../model/tracing/otlp-transport.ts'

/** The response for a fault of the call itself: nothing was accepted, and the next attempt may succeed. */
export const callFailure = (fault: unknown): Extract<OtlpResponse, { ok: false }> => {
  const code = fault instanceof Fault ? fault.code : undefined
  const reason = code === 'upstream_timeout' ? 'timeout' : 'unreachable'
  const error = fault instanceof Error ? fault.message : String(fault)
  return { ok: false, reason, error, mayRetry: code === undefined || !final.has(code) }
}

/** Faults that another attempt does not change. */
const final: ReadonlySet<string> = new Set([
  'abandoned',
  'backend_missing',
  'body_too_large',
  'question_unaskable',
])
