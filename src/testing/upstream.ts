import { mergeMap, throwError } from 'rxjs'
import { type Body, BufferBody, emptyBody } from '../model/exchange/body.ts'
import { Headers } from '../model/exchange/headers.ts'
import { Reply } from '../model/exchange/reply.ts'
import { onRequest, type Operator } from '../pipeline/stage.ts'

/**
 * A fake upstream: replies at once to every exchange without a reply, and counts it as an attempt.
 *
 * @example
 * run(pipe(rewrite, answer(200, { 'content-type': 'text/plain' }, 'hello')), exchange())
 */
export const fakeUpstream = (
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  body: string | Buffer | Body = emptyBody,
): Operator =>
  onRequest('fake-upstream', (x) => {
    x.upstream.attempts++
    const content = typeof body === 'string' || Buffer.isBuffer(body) ? new BufferBody(body) : body
    return new Reply(status, Headers.of(headers), content, 'Upstream')
  })

/** A fake upstream that fails: every exchange is an attempt that ends with `fault`. */
export const failingUpstream = (fault: unknown): Operator =>
  mergeMap((x) => {
    x.upstream.attempts++
    return throwError(() => fault)
  })

/** Uses one fake upstream after the other, per exchange or attempt; the last one stays. */
export const inTurn = (...upstreams: readonly [Operator, ...Operator[]]): Operator => {
  let turn = 0
  return (source) => {
    const upstream = upstreams[Math.min(turn++, upstreams.length - 1)] ?? upstreams[0]
    return upstream(source)
  }
}
