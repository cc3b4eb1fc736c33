/** How an exchange ended, as in logs and metric labels. */
export type Reason =
  | 'Upstream'
  | 'DirectResponse'
  | 'NotFound'
  | 'NoHealthyBackend'
  | 'Internal'
  | 'InvalidRequest'
  | 'JwtAuth'
  | 'Oidc'
  | 'BasicAuth'
  | 'APIKeyAuth'
  | 'ExtAuth'
  | 'Authorization'
  | 'Timeout'
  | 'ExtProc'
  | 'RateLimit'
  | 'Guardrail'
  | 'MCP'
  | 'UpstreamFailure'
  | 'Overloaded'

/**
 * Something failed: an upstream refused, timed out or sent nonsense. It travels as an error until `rescue` turns it
 * into a reply. It has no stack (making one costs 2 µs and adds nothing), and the client may read its `message`; the
 * `cause` is for the log only.
 */
export class Fault extends Error {
  /** Stable snake_case code for logs and traces, listed in `docs/reference/errors.md`. */
  readonly code: string
  readonly status: number
  readonly reason: Reason

  constructor(
    code: string,
    message: string,
    options: { status?: number; reason?: Reason; cause?: unknown } = {},
  ) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    Error.stackTraceLimit = limit
    this.code = code
    this.status = options.status ?? 500
    this.reason = options.reason ?? 'Internal'
  }
}
