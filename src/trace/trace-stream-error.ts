/** Why a stream of trace events ended, or did not begin. */
export type TraceStreamReason =
  /** Nothing answers at the address. */
  | 'unreachable'
  /** The gateway refused the parameters, such as an invalid expression (400). */
  | 'invalid'
  /** A token is missing or wrong (401, 403). */
  | 'unauthorized'
  /** Too many watchers (503). */
  | 'busy'
  /** Another status, or something that is no stream of trace events. */
  | 'unexpected'
  /** The stream ended before the requests that it should show. */
  | 'ended'

/** A stream of trace events failed. The message has what the gateway replied. */
export class TraceStreamError extends Error {
  override readonly name = 'TraceStreamError'
  readonly reason: TraceStreamReason
  /** Of the response, if there is one. */
  readonly status: number | undefined

  constructor(reason: TraceStreamReason, message: string, status?: number) {
    super(message)
    this.reason = reason
    this.status = status
  }
}

/** The error of a response with another status than 200. */
export const traceStatusError = (status: number, body: string): TraceStreamError => {
  const text = body.trim() === '' ? `status ${String(status)}` : body.trim()
  return new TraceStreamError(reasons[status] ?? 'unexpected', text, status)
}

const reasons: Readonly<Partial<Record<number, TraceStreamReason>>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'unauthorized',
  503: 'busy',
}
