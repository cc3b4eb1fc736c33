import { Fault } from '../model/fault.ts'
import { deadline } from '../pipeline/deadline.ts'
import type { Operator } from '../pipeline/stage.ts'

/**
 * Gives a whole exchange a time, counted from its admission: waiting, retries, and every byte of both bodies.
 *
 * Before the head of the answer is out the client gets 504 `request timeout`; after it the fault reaches the sink, which
 * cuts the connection, since half an answer must not look like a whole one. A tunnel has answered and may stay open.
 * Wraps everything of a route that may take time, inside the `rescue` that turns its fault into a reply.
 *
 * @param limitMs At most 2³¹ − 1, some 24 days.
 * @throws Fault `request_timeout`, through the error channel.
 * @example
 * timeOutExchange(15_000, pipe(delay, backend(upstream)))
 */
export const timeOutExchange = (limitMs: number, inner: Operator): Operator =>
  deadline(inner, {
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
 * Gives one attempt a time until the head of its answer: 504 `upstream call timeout`. How long the body takes is not its
 * business, so that streams may last. Sits inside `retry`, which may try again.
 *
 * @throws Fault `upstream_timeout`, through the error channel.
 */
export const timeOutAttempt = (limitMs: number, attempt: Operator): Operator =>
  deadline(attempt, {
    leftMs: () => limitMs,
    until: 'reply',
    fault: () =>
      new Fault('upstream_timeout', 'upstream call timeout', {
        status: 504,
        reason: 'Timeout',
        cause: `no head of an answer within ${limitMs} ms`,
      }),
  })
