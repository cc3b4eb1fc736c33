import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { Request } from '../../model/exchange/request.ts'
import { isBuffered, isLonger } from './buffer-body.ts'
import { Recording } from './replay-buffer.ts'

/** Bodies up to this size are recorded while they are streamed. */
const RECORD_LIMIT_BYTES = 65_536

/** Saves the present state of a request; undefined if its body could not be sent again. */
export const replayable = (request: Request): ReplayableRequest | undefined => {
  const { body } = request
  if (isBuffered(body)) return new ReplayableRequest(request, undefined)
  // Trailers come from the connection and can be read only once.
  if (request.hasTrailers || isLonger(body, RECORD_LIMIT_BYTES)) return undefined
  const recording = new Recording(body, RECORD_LIMIT_BYTES)
  request.body = recording.replay()
  return new ReplayableRequest(request, recording)
}

/** A request that can be sent again, whatever changes stages made. */
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

  /** False once the body turned out to be too long or failed. */
  get isReplayable(): boolean {
    return this.#recording?.isWhole ?? true
  }

  /** Removes the reply and restores the request, except for the retry count if there is one. */
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

  /** Releases the recording: there is no further attempt. */
  close(): void {
    this.#recording?.close()
  }
}
