import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { applied, skipped } from '../trace-policy.ts'

/** The head of a request, as it is sent to the mirror. It has no body, and no fields that describe one. */
export interface MirrorRequestHead {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly authority: string
  readonly headers: Headers
}

/** The destination of copies, and their share. */
export interface MirrorOptions {
  /** Share of the requests that are copied, 0…1. */
  readonly fraction: number
  /**
   * Sends one copy and discards the response. Settles when the copy has released its resources; failures are ignored.
   */
  readonly send: (copy: MirrorRequestHead) => PromiseLike<unknown>
  /** Maximum number of copies in flight; further ones are dropped. 100 by default. */
  readonly maxInFlight?: number
  /** A random number 0…1; for tests. */
  readonly random?: () => number
}

/**
 * Sends copies of requests to another destination as well. It never delays, changes or fails the exchange; a slow
 * destination loses copies and costs no memory.
 *
 * Belongs right before the backend, so that the copy is what the backend gets.
 */
export const requestMirror = ({
  fraction,
  send,
  maxInFlight = 100,
  random = Math.random,
}: MirrorOptions): Operator => {
  let inFlight = 0
  const done = (): void => {
    inFlight--
  }
  return onRequest('mirror', (x) => {
    if (fraction < 1 && random() >= fraction) {
      x.probe?.record(skipped('request_mirror', 'not chosen'))
      return
    }
    if (inFlight >= maxInFlight) {
      x.probe?.record(skipped('request_mirror', 'too many copies under way'))
      return
    }
    x.probe?.record(applied('request_mirror', 'sent a copy'))
    inFlight++
    begin(send, headOf(x)).then(done, done)
  })
}

/** A sender that throws synchronously is treated like one whose promise rejects. */
const begin = async (send: MirrorOptions['send'], copy: MirrorRequestHead): Promise<void> => {
  await send(copy)
}

const headOf = ({ request }: Exchange): MirrorRequestHead => {
  const headers = request.headers.clone()
  headers.delete('content-length')
  headers.delete('expect')
  return {
    method: request.method,
    target: request.target,
    scheme: request.scheme,
    authority: request.authority,
    headers,
  }
}
