import type { Duplex } from 'node:stream'
import { type Body, BufferBody, emptyBody } from './body.ts'
import type { Reason } from './fault.ts'
import { Headers } from './headers.ts'

/** The reply of an exchange, from an upstream or made here. Stages may change it until its head is sent. */
export class Reply {
  status: number
  headers: Headers
  body: Body
  /** The beginning of a body that is too long to buffer, if a stage had to inspect it. */
  bodyPrefix: Buffer | undefined
  /** Where the reply came from, as in logs and metrics. */
  reason: Reason
  /** A more specific snake_case code; undefined for a response of an upstream. */
  code: string | undefined
  /**
   * The error message for the client; undefined for other replies. If set, the reply is formatted in the client's
   * protocol.
   */
  error: string | undefined
  /** The cause of `error`, for the log only: it may contain messages of the system or of a library. */
  cause: unknown
  /** The upstream's side of an accepted upgrade or CONNECT: bytes pass in both directions, and `body` is empty. */
  tunnel: Duplex | undefined
  /** Trailers as name, value …; undefined before the last byte, and if there are none. */
  trailers: readonly string[] | undefined

  constructor(status: number, headers: Headers, body: Body, reason: Reason, code?: string, error?: string) {
    this.status = status
    this.headers = headers
    this.body = body
    this.bodyPrefix = undefined
    this.reason = reason
    this.code = code
    this.error = error
    this.cause = undefined
    this.tunnel = undefined
    this.trailers = undefined
  }

  /** The status of a gRPC call: from the head of a trailers-only response, otherwise from the trailers. */
  get grpcStatus(): number | undefined {
    const status = this.headers.get('grpc-status') ?? valueOf(this.trailers, 'grpc-status')
    return status !== undefined && isStatus.test(status) ? Number(status) : undefined
  }
}

/**
 * A refusal: the reply of a stage that does not let the exchange pass.
 *
 * @param status HTTP status, 400–599.
 * @param code Stable snake_case code for log and trace.
 * @example
 * const openHours = onRequest('open-hours', () => (isOpen() ? undefined : deny(503, 'closed', { message: 'closed' })))
 */
export const deny = (
  status: number,
  code: string,
  options: { message?: string; reason?: Reason; headers?: Readonly<Record<string, string>> } = {},
): Reply => {
  const message = options.message ?? code
  const headers = new Headers(['content-type', 'text/plain'])
  if (options.headers) for (const [name, value] of Object.entries(options.headers)) headers.set(name, value)
  return new Reply(
    status,
    headers,
    new BufferBody(message),
    options.reason ?? reasonOf(status),
    code,
    message,
  )
}

/** A reply made by the gateway that is no error. */
export const respond = (status: number, body: string | Buffer, headers: Headers = new Headers()): Reply =>
  new Reply(status, headers, body.length ? new BufferBody(body) : emptyBody, 'DirectResponse')

const isStatus = /^\d{1,9}$/

const valueOf = (fields: readonly string[] | undefined, name: string): string | undefined => {
  if (fields) for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1]
  return undefined
}

const reasonOf = (status: number): Reason => {
  if (status === 401 || status === 403) return 'Authorization'
  if (status === 404) return 'NotFound'
  if (status === 429) return 'RateLimit'
  if (status === 504) return 'Timeout'
  return status < 500 ? 'InvalidRequest' : 'Internal'
}
