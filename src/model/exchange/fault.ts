/** The word of logs and metric labels for how an exchange ended. */
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
 * Something broke on the way: an upstream refused, timed out or sent nonsense. It travels as an error until `rescue`
 * turns it into a reply. It carries no stack (making one costs 2 µs, and the place tells nothing), and its `message` is
 * what the client may read; the `cause` is for the log only.
 */
export class Fault extends Error {
  /** Stable snake_case word for logs and traces, listed in `docs/reference/errors.md`. */
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
