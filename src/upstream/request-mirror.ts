import type { Body } from '../model/exchange/body.ts'
import { Fault } from '../model/exchange/fault.ts'
import type { Headers } from '../model/exchange/headers.ts'
import { chooseEndpoint } from './load-balancing/choose-endpoint.ts'
import type { Balancer } from './load-balancing/balancer.ts'
import type { UpstreamEvents } from './call.ts'
import { callEndpoint } from './load-balancing/call-endpoint.ts'
import type { Endpoint } from './load-balancing/endpoint.ts'
import type { Endpoints } from './load-balancing/endpoints.ts'
import { noEndpoint } from './faults.ts'
import { beginWork } from '../model/introspection/active-work.ts'

/** A request of which another one has the original. It must not be changed afterwards. */
export interface MirrorCopy {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly authority: string
  readonly headers: Headers
  /** As that of a request. */
  readonly cdnLoop?: string | undefined
  /** In memory, or empty. */
  readonly body: Body
}

/** Called with the duration of a callout, to its response or failure. */
export type CalloutEvents = (seconds: number) => void

/** Time limit of a copy: its response is discarded, but it occupies one of the limited slots. */
const LIMIT_MS = 30_000

/**
 * Sends copies of requests and discards the responses. The promise settles when a copy is finished; it rejects with the
 * fault of a copy that failed. If its endpoint is removed before there is a connection, another one gets it.
 *
 * @param onEnd Called with the duration of every copy, to its response or failure.
 */
export const mirrorTo =
  (
    endpoints: Endpoints,
    authority: string | undefined,
    balancer: Balancer,
    onEnd: CalloutEvents = () => undefined,
  ) =>
  async (copy: MirrorCopy): Promise<void> => {
    const now = performance.now()
    const host = authority ?? copy.authority
    let all = endpoints.current(now) ?? (await resolved(endpoints, now))
    for (;;) {
      const endpoint = chooseEndpoint(all, { now, balancer })
      if (!endpoint) throw noEndpoint()
      const fault = await sent(endpoint, copy, host, onEnd)
      if (!fault) return
      if (!wasRemoved(endpoint, fault)) throw fault
      all = endpoints.latest().filter(({ isRemoved }) => !isRemoved)
    }
  }

/** Whether nothing was sent because the endpoint has gone: another one gets the copy. */
const wasRemoved = ({ isRemoved }: Endpoint, { code }: Fault): boolean =>
  code === 'upstream_connect' && isRemoved

const resolved = (endpoints: Endpoints, now: number): Promise<readonly Endpoint[]> =>
  new Promise((resolve, reject) => {
    endpoints.resolve(now, (found) => {
      if (found instanceof Fault) reject(found)
      else resolve(found)
    })
  })

/** @returns Why it failed. */
const sent = (
  endpoint: Endpoint,
  { method, target, headers, body, cdnLoop }: MirrorCopy,
  host: string,
  onEnd: CalloutEvents,
): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    const began = performance.now()
    const end = beginWork('mirrored request', endpoint.name, { deadlineAt: began + LIMIT_MS })
    let waits = true
    const recordTime = () => {
      if (waits) onEnd((performance.now() - began) / 1000)
      waits = false
    }
    const timer = setTimeout(() => {
      call.abort()
      ended()
    }, LIMIT_MS)
    timer.unref()
    const ended = (fault?: Fault) => {
      clearTimeout(timer)
      end()
      if (!fault || !wasRemoved(endpoint, fault)) recordTime()
      resolve(fault)
    }
    const events: UpstreamEvents = {
      info: () => true,
      head: (_status, _headers, body) => {
        recordTime()
        body.drop()
      },
      tunnel: (_status, _headers, stream) => stream.destroy(),
      end: () => ended(),
      fail: ended,
    }
    headers.set('host', host)
    if (cdnLoop !== undefined) headers.set('cdn-loop', cdnLoop)
    const request = { method, target, headers: headers.raw, body }
    const call = callEndpoint(endpoint, request, events)
  })
