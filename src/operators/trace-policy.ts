import type { TraceMessage } from '../model/trace-event.ts'

/**
 * What the trace says of a policy that acted. `kind` is the policy's snake_case name.
 *
 * @example
 * x.probe?.note(applied('url_rewrite', 'rewrote request URL'))
 */
export const applied = (kind: string, details: string): TraceMessage => ({
  type: 'policy',
  kind,
  result: { type: 'apply', details, snapshot: null },
})

/** What the trace says of a policy that looked at an exchange and had nothing to do. */
export const skipped = (kind: string, reason: string): TraceMessage => ({
  type: 'policy',
  kind,
  result: { type: 'skip', reason },
})
