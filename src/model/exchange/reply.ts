import type { Duplex } from 'node:stream'
import { type Body, BufferBody, emptyBody } from './body.ts'
import type { Reason } from './fault.ts'
import { Headers } from './headers.ts'

/** The answer of an exchange, from an upstream or made here. Stages may change it until its head is on the wire. */
export class Reply {
  status: number
  headers: Headers
  body: Body
  /** The beginning of a body that is longer than may be held in memory, if a stage had to look at it. */
  bodyPrefix: Buffer | undefined
  /** Who answered, as logs and metrics say it. */
  reason: Reason
  /** The finer snake_case word; undefined for an upstream's own answer. */
  code: string | undefined
  /** What went wrong, as the client may read it; undefined if nothing did. Set means: answer in the client's tongue. */
  error: string | undefined
  /** What lies behind `error`, for the log only: it may be in the words of the system or of a library. */
  cause: unknown
  /** The upstream's side of an accepted upgrade or CONNECT: from now on bytes pass both ways, and `body` is empty. */
  tunnel: Duplex | undefined
  /** Name, value … of what followed the body; undefined until the last byte is on its way, and if nothing did. */
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

  /** How a gRPC call went: said in the head if there is no message, otherwise after the last one. */
  get grpcStatus(): number | undefined {
    const status = this.headers.get('grpc-status') ?? valueOf(this.trailers, 'grpc-status')
    return status !== undefined && isStatus.test(status) ? Number(status) : undefined
  }
}

/**
 * A refusal: the answer of a stage that will not let the exchange pass.
 *
 * @param status HTTP status, 400–599.
 * @param code Stable snake_case word for log and trace.
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

/** A plain answer of our own that is no error. */
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
