/** Why a request to the API server failed: a reason of Kubernetes, or one of ours where there was no response to read. */
export type ApiFailureReason =
  'Unreachable' | 'Timeout' | 'TooLarge' | 'Malformed' | 'CredentialsUnavailable' | (string & {})

/** A failed request to the API server. */
export class ApiFailure extends Error {
  /** The status of HTTP; 0 if there was no response. */
  readonly status: number
  readonly reason: ApiFailureReason
  /** The server's `Retry-After`. */
  readonly retryAfterMs: number

  constructor(
    status: number,
    reason: ApiFailureReason,
    message: string,
    options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message.slice(0, MAX_MESSAGE), options)
    this.name = 'ApiFailure'
    this.status = status
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs ?? 0
  }

  /** Whether history from a `resourceVersion`, or the rest of a list, is no longer there. */
  get isExpired(): boolean {
    return this.status === 410
  }

  get isNotFound(): boolean {
    return this.status === 404
  }

  /** Whether an object was changed meanwhile, or exists already. */
  get isConflict(): boolean {
    return this.status === 409
  }
}

/** Any error as a failure; what is not one is a fault of ours or of the connection. */
export const asApiFailure = (error: unknown): ApiFailure => {
  if (error instanceof ApiFailure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiFailure(0, 'Unreachable', message, { cause: error })
}

/** The failure that a `meta/v1.Status` describes, as in the body of an error or in a watch event of type ERROR. */
export const failureOfStatus = (status: number, body: unknown, retryAfterMs = 0): ApiFailure => {
  const { code, reason, message } = typeof body === 'object' && body !== null ? (body as StatusBody) : {}
  return new ApiFailure(
    typeof code === 'number' ? code : status,
    typeof reason === 'string' && reason !== '' ? reason : `Http${status}`,
    typeof message === 'string' ? message : `the API server replied with status ${status}`,
    { retryAfterMs },
  )
}

interface StatusBody {
  readonly code?: unknown
  readonly reason?: unknown
  readonly message?: unknown
}

const MAX_MESSAGE = 2_000
