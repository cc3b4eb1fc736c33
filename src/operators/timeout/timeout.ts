import { Fault } from '../../model/exchange/fault.ts'
import { deadline } from '../../pipeline/deadline.ts'
import type { Operator } from '../../pipeline/stage.ts'

/**
 * Limits the duration of a whole exchange, counted from its admission: delays, retries, and every byte of both bodies.
 *
 * Until the head of the reply is sent the client gets 504 `request timeout`; after that the fault reaches the sink,
 * which cuts the connection, since a partial reply must not look complete. A tunnel that is established may stay open.
 * Wraps everything of a route that may take time, inside the `rescue` that turns its fault into a reply.
 *
 * @param limitMs At most 2³¹ − 1, some 24 days.
 * @throws Fault `request_timeout`, through the error channel.
 * @example
 * requestTimeout(15_000, pipe(delay, backend(upstream)))
 */
export const requestTimeout = (limitMs: number, inner: Operator): Operator =>
  deadline(inner, {
    name: 'request timeout',
    leftMs: (x) => limitMs - (performance.now() - x.request.startedAt),
    until: 'end',
    fault: () =>
      new Fault('request_timeout', 'request timeout', {
        status: 504,
        reason: 'Timeout',
        cause: `not finished within ${limitMs} ms`,
      }),
  })

/**
 * Limits the time of one attempt until the head of its response: 504 `upstream call timeout`. The body is not limited,
 * so that streams may last. Sits inside `retry`, which may try again.
 *
 * @throws Fault `upstream_timeout`, through the error channel.
 */
export const backendRequestTimeout = (limitMs: number, attempt: Operator): Operator =>
  deadline(attempt, {
    name: 'attempt timeout',
    leftMs: () => limitMs,
    until: 'reply',
    fault: () =>
      new Fault('upstream_timeout', 'upstream call timeout', {
        status: 504,
        reason: 'Timeout',
        cause: `no head of an answer within ${limitMs} ms`,
      }),
  })
