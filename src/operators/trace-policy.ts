import type { TraceEntry } from '../model/trace/trace-event.ts'

/**
 * The trace entry of a policy that acted. `kind` is the policy's snake_case name.
 *
 * @example
 * x.probe?.record(applied('url_rewrite', 'rewrote request URL'))
 */
export const applied = (kind: string, details: string): TraceEntry => ({
  type: 'policy',
  kind,
  result: { type: 'apply', details, snapshot: null },
})

/** The trace entry of a policy that inspected an exchange and had nothing to do. */
export const skipped = (kind: string, reason: string): TraceEntry => ({
  type: 'policy',
  kind,
  result: { type: 'skip', reason },
})
