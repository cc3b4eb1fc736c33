import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { Request } from '../../model/exchange/request.ts'
import { isBuffered, isLonger } from './buffer-body.ts'
import { Recording } from './replay-buffer.ts'

/** Bodies up to this size are recorded while they stream. */
const RECORD_LIMIT_BYTES = 65_536

/** Remembers a request as it is now; undefined if its body could not be sent a second time. */
export const replayable = (request: Request): ReplayableRequest | undefined => {
  const { body } = request
  if (isBuffered(body)) return new ReplayableRequest(request, undefined)
  // Trailers come from the connection and are gone once they were read.
  if (request.hasTrailers || isLonger(body, RECORD_LIMIT_BYTES)) return undefined
  const recording = new Recording(body, RECORD_LIMIT_BYTES)
  request.body = recording.replay()
  return new ReplayableRequest(request, recording)
}

/** A request that can be sent again, whatever became of it meanwhile. */
export class ReplayableRequest {
  readonly #method: string
  readonly #path: string
  readonly #query: string
  readonly #scheme: 'http' | 'https'
  readonly #authority: string
  readonly #headers: Headers
  readonly #body: Body
  readonly #recording: Recording | undefined

  constructor(request: Request, recording: Recording | undefined) {
    this.#method = request.method
    this.#path = request.path
    this.#query = request.query
    this.#scheme = request.scheme
    this.#authority = request.authority
    this.#headers = request.headers.clone()
    this.#body = request.body
    this.#recording = recording
  }

  /** False once the body proved to be too long to keep, or broke. */
  get isReplayable(): boolean {
    return this.#recording?.isWhole ?? true
  }

  /** Makes the exchange unanswered, and its request what it was, but for the count of the retry if there is one. */
  restore(x: Exchange, retry?: number): void {
    const { request } = x
    request.method = this.#method
    request.path = this.#path
    request.query = this.#query
    request.scheme = this.#scheme
    request.authority = this.#authority
    request.headers = this.#headers.clone()
    if (retry !== undefined) request.headers.set('x-retry-attempt', String(retry))
    request.body = this.#recording?.replay() ?? this.#body
    x.reply = undefined
  }

  /** There is no further attempt: nothing has to be kept. */
  close(): void {
    this.#recording?.close()
  }
}
