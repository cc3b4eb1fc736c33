import type { Exchange } from '../model/exchange.ts'
import type { Headers } from '../model/headers.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'
import { applied, skipped } from './policy-note.ts'

/** The head of a request, as it is sent to another destination too. It has no body, and says nothing of one. */
export interface RequestHead {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly authority: string
  readonly headers: Headers
}

/** Where copies go, and how many. */
export interface MirrorOptions {
  /** Share of the requests that are copied, 0…1. */
  readonly fraction: number
  /** Sends one copy and forgets the answer. Settles when the copy needs nothing any more; failures count for nothing. */
  readonly send: (copy: RequestHead) => PromiseLike<unknown>
  /** Copies under way at most; the next ones are left out. 100 by default. */
  readonly maxInFlight?: number
  /** 0…1, by chance; for tests. */
  readonly random?: () => number
}

/**
 * Sends copies of requests to another destination as well. It never delays, changes or fails the exchange, and a slow
 * destination costs copies, not memory.
 *
 * Belongs right before the backend, so that the copy is what the backend gets.
 */
export const mirror = ({
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
      x.probe?.note(skipped('request_mirror', 'not chosen'))
      return
    }
    if (inFlight >= maxInFlight) {
      x.probe?.note(skipped('request_mirror', 'too many copies under way'))
      return
    }
    x.probe?.note(applied('request_mirror', 'sent a copy'))
    inFlight++
    begin(send, headOf(x)).then(done, done)
  })
}

/** A sender that throws at once is no worse than one whose promise rejects. */
const begin = async (send: MirrorOptions['send'], copy: RequestHead): Promise<void> => {
  await send(copy)
}

const headOf = ({ request }: Exchange): RequestHead => {
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
