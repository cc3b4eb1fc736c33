import { emptyBody } from '../model/body.ts'
import { Fault } from '../model/fault.ts'
import type { Headers } from '../model/headers.ts'
import { chooseEndpoint } from './balance.ts'
import type { UpstreamEvents } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { noEndpoint } from './fault.ts'
import { callHttp1 } from './http1.ts'
import { callHttp2 } from './http2.ts'

/** A request without its body. Whoever hands it over has no further use for it. */
export interface MirrorCopy {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly authority: string
  readonly headers: Headers
}

/** Told how long a copy took to be answered, or to fail. */
export type Answered = (seconds: number) => void

/** How long a copy may take: nobody waits for its answer, but it takes up a place among the copies under way. */
const LIMIT_MS = 30_000

/**
 * Sends copies of requests and throws the answers away. The promise settles when nothing of a copy is left; it rejects
 * with the fault of a copy that failed.
 *
 * @param answered Told of every copy that was answered or failed, and how long that took.
 */
export const mirrorTo =
  (
    endpoints: Endpoints,
    authority: string | undefined,
    random: () => number,
    answered: Answered = () => undefined,
  ) =>
  async (copy: MirrorCopy): Promise<void> => {
    const now = performance.now()
    const found = endpoints.current(now) ?? (await resolved(endpoints, now))
    const endpoint = chooseEndpoint(found, { now, random })
    if (!endpoint) throw noEndpoint()
    await sent(endpoint, copy, authority ?? copy.authority, answered)
  }

const resolved = (endpoints: Endpoints, now: number): Promise<readonly Endpoint[]> =>
  new Promise((resolve, reject) => {
    endpoints.resolve(now, (found) => {
      if (found instanceof Fault) reject(found)
      else resolve(found)
    })
  })

const sent = (
  endpoint: Endpoint,
  { method, target, headers }: MirrorCopy,
  host: string,
  answered: Answered,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let waits = true
    const tell = () => {
      if (waits) answered((performance.now() - began) / 1000)
      waits = false
    }
    const timer = setTimeout(() => {
      call.abort()
      settle()
    }, LIMIT_MS)
    timer.unref()
    const settle = (fault?: Fault) => {
      clearTimeout(timer)
      tell()
      if (fault) reject(fault)
      else resolve()
    }
    const events: UpstreamEvents = {
      info: () => undefined,
      head: (_status, _headers, body) => {
        tell()
        body.drop()
      },
      tunnel: (_status, _headers, stream) => stream.destroy(),
      end: () => settle(),
      fail: settle,
    }
    headers.set('host', host)
    const request = { method, target, headers: headers.raw, body: emptyBody }
    const { protocol, tls } = endpoint.options
    const call =
      protocol === 'http2'
        ? callHttp2(endpoint.http2, request, tls ? 'https' : 'http', events)
        : callHttp1(endpoint, request, events)
  })
