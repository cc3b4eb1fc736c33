import { type Body, BufferBody, emptyBody } from '../../model/exchange/body.ts'
import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { mayMultiply } from '../../protocols/http/cdn-loop.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { applied, skipped } from '../trace-policy.ts'
import { CopiedBody, CopyMemory } from './copied-body.ts'

/** A copy of a request, as it is sent to the mirror. */
export interface MirroredRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly authority: string
  readonly headers: Headers
  /** As that of a request. */
  readonly cdnLoop?: string | undefined
  /** In memory, or empty. */
  readonly body: Body
}

/** The destination of copies, and their share. */
export interface MirrorOptions {
  /** Share of the requests that are copied, 0…1. */
  readonly fraction: number
  /**
   * Sends one copy and discards the response. Settles when the copy has released its resources; failures are ignored.
   */
  readonly send: (copy: MirroredRequest) => PromiseLike<unknown>
  /** Requests with a longer body are not copied. 2 MiB by default. */
  readonly limitBytes?: number
  /** Maximum number of copies in flight, and of bodies being copied; further ones are dropped. 100 by default. */
  readonly maxInFlight?: number
  /** A random number 0…1; for tests. */
  readonly random?: () => number
}

/** Bodies of all copies of one mirror, in bodies of the longest kind. */
const BODIES_IN_MEMORY = 8

/**
 * Sends copies of requests to another destination as well. It never delays, changes or fails the exchange: a body is
 * copied while it passes, and the copy is sent when the last byte has passed. A request whose body is too long, or does
 * not arrive whole within 30 seconds, is not copied; a slow destination loses copies and costs a limited amount of memory.
 *
 * Belongs right before the backend, so that the copy is what the backend gets. Within a retry only the first complete
 * attempt is copied.
 */
export const requestMirror = (options: MirrorOptions): Operator => {
  const mirror = new Mirroring(options)
  return onRequest('mirror', (x) => {
    mirror.copy(x)
  })
}

/** The copies of one mirror. */
class Mirroring {
  readonly #options: MirrorOptions
  readonly #limitBytes: number
  readonly #memory: CopyMemory
  readonly #random: () => number
  readonly #maxInFlight: number
  #inFlight = 0
  readonly #done = (): void => {
    this.#inFlight--
  }
  /** Exchanges with a copy: their retries get no other one. */
  readonly #copied = new WeakSet<Exchange>()

  constructor(options: MirrorOptions) {
    const { limitBytes = DEFAULT_BUFFER_BYTES, maxInFlight = 100, random = Math.random } = options
    this.#options = options
    this.#limitBytes = limitBytes
    this.#memory = new CopyMemory(BODIES_IN_MEMORY * limitBytes)
    this.#maxInFlight = maxInFlight
    this.#random = random
  }

  copy(x: Exchange): void {
    const reason = this.#reasonAgainst(x)
    x.probe?.record(
      reason === undefined ? applied('request_mirror', 'sent a copy') : skipped('request_mirror', reason),
    )
    if (reason !== undefined) return
    const head = headOf(x)
    const { body } = x.request
    this.#inFlight++
    if (body.lengthBytes === 0 || body instanceof BufferBody) {
      this.#copied.add(x)
      this.#send({ ...head, body: body.lengthBytes === 0 ? emptyBody : body }, 0)
      return
    }
    x.request.body = new CopiedBody(body, this.#limitBytes, this.#memory, {
      onCopied: (bytes) => {
        this.#copied.add(x)
        this.#send({ ...head, body: new BufferBody(bytes) }, bytes.length)
      },
      onGivenUp: this.#done,
    })
  }

  #reasonAgainst(x: Exchange): string | undefined {
    const { fraction } = this.#options
    if (this.#copied.has(x)) return 'copied before'
    if (!mayMultiply(x.request.cdnLoop)) return 'has passed two gateways before'
    if (fraction < 1 && this.#random() >= fraction) return 'not chosen'
    if (this.#inFlight >= this.#maxInFlight) return 'too many copies under way'
    return (x.request.body.lengthBytes ?? 0) > this.#limitBytes ? 'body too long' : undefined
  }

  /** @param memoryBytes Taken for the body. */
  #send(copy: MirroredRequest, memoryBytes: number): void {
    const { headers, body } = copy
    if (body.lengthBytes) headers.set('content-length', String(body.lengthBytes))
    const done = () => {
      this.#memory.release(memoryBytes)
      this.#done()
    }
    begin(this.#options.send, copy).then(done, done)
  }
}

/** A sender that throws synchronously is treated like one whose promise rejects. */
const begin = async (send: MirrorOptions['send'], copy: MirroredRequest): Promise<void> => {
  await send(copy)
}

const headOf = ({ request }: Exchange): Omit<MirroredRequest, 'body'> => {
  const headers = request.headers.clone()
  headers.delete('content-length')
  headers.delete('expect')
  // Trailers are not copied.
  headers.delete('trailer')
  return {
    method: request.method,
    target: request.target,
    scheme: request.scheme,
    authority: request.authority,
    headers,
    cdnLoop: request.cdnLoop,
  }
}
