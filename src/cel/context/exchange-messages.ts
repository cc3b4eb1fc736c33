import { type Body, BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { httpVersions } from '../../model/exchange/request.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { HttpRequestAttributes, ResponseAttributes } from './context.ts'

/** The request of an exchange, in its current state. */
export class ExchangeRequest implements HttpRequestAttributes {
  readonly #x: Exchange
  readonly sensitiveHeaders: ReadonlySet<string> | undefined

  constructor(x: Exchange, sensitiveHeaders: ReadonlySet<string> | undefined) {
    this.#x = x
    this.sensitiveHeaders = sensitiveHeaders
  }

  get method(): string {
    return this.#x.request.method
  }

  get uri(): string {
    const { scheme, authority, target } = this.#x.request
    return `${scheme}://${authority}${target}`
  }

  get host(): string {
    return this.#x.request.authority
  }

  get scheme(): string {
    return this.#x.request.scheme
  }

  get path(): string {
    return this.#x.request.path
  }

  get pathAndQuery(): string {
    return this.#x.request.target
  }

  get version(): string {
    return httpVersions[this.#x.request.httpVersion]
  }

  get headers(): Headers {
    return this.#x.request.headers
  }

  get body(): Uint8Array | undefined {
    return bytesOf(this.#x.request.body)
  }

  get bodyPrefix(): Uint8Array | undefined {
    return prefixOf(this.#x.request)
  }

  get startTime(): Date {
    return new Date(this.#x.request.startTimeMs)
  }

  get endTime(): Date | undefined {
    const { endedAt } = this.#x.downstream
    return endedAt ? new Date(performance.timeOrigin + endedAt) : undefined
  }
}

/** The reply of an exchange. */
export class ExchangeResponse implements ResponseAttributes {
  readonly #reply: Reply
  readonly sensitiveHeaders: ReadonlySet<string> | undefined

  constructor(reply: Reply, sensitiveHeaders: ReadonlySet<string> | undefined) {
    this.#reply = reply
    this.sensitiveHeaders = sensitiveHeaders
  }

  get code(): number {
    return this.#reply.status
  }

  get headers(): Headers {
    return this.#reply.headers
  }

  get body(): Uint8Array | undefined {
    return bytesOf(this.#reply.body)
  }

  get bodyPrefix(): Uint8Array | undefined {
    return prefixOf(this.#reply)
  }

  get grpcStatus(): number | undefined {
    return this.#reply.grpcStatus
  }
}

const noBytes = new Uint8Array(0)

/** The bytes of a body that is in memory. */
const bytesOf = (body: Body): Uint8Array | undefined => {
  if (body instanceof BufferBody) return body.bytes
  return body.lengthBytes === 0 ? noBytes : undefined
}

/**
 * The beginning of a body. A body in memory may be complete, and may have been replaced after it was
 * inspected.
 */
const prefixOf = ({
  body,
  bodyPrefix,
}: {
  readonly body: Body
  readonly bodyPrefix: Uint8Array | undefined
}): Uint8Array | undefined => {
  const bytes = bytesOf(body)
  return bytes && bodyPrefix ? bytes.subarray(0, bodyPrefix.length) : (bytes ?? bodyPrefix)
}
