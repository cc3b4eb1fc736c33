import { Observable } from 'rxjs'
import { TraceConnection } from './trace-connection.ts'
import type { TraceEventsOptions } from './trace-events-options.ts'
import type { TraceEvent } from '../model/trace/trace-event.ts'

/**
 * The trace events of a running gateway. Each subscription is a connection of its own, which unsubscribing closes. It
 * completes when the requested number of requests has been shown; with `follow` never.
 *
 * Events arrive as fast as the subscriber returns: while it is busy the connection is not read, and the gateway drops
 * what it cannot buffer; a `dropped` event has the number. For asynchronous work use {@link concatMapBounded}.
 *
 * @param url The admin server, such as `http://127.0.0.1:15000`, or a route with the path of the stream.
 * @throws TraceStreamError as an error of the observable: the gateway cannot be reached or refuses.
 * @example
 * traceEvents('http://127.0.0.1:15000', { follow: true, expression: 'response.code >= 500' })
 *   .subscribe(({ requestId, message }) => console.log(requestId, message.type))
 */
export const traceEvents = (url: string | URL, options: TraceEventsOptions = {}): Observable<TraceEvent> =>
  new Observable((subscriber) => {
    const connection = new TraceConnection(streamUrl(url, options), options, subscriber)
    return () => connection.close()
  })

const streamUrl = (base: string | URL, { expression, count, follow, bodies }: TraceEventsOptions): URL => {
  const url = new URL(base)
  if (url.pathname === '/') url.pathname = '/debug/trace'
  if (expression !== undefined && expression !== '') url.searchParams.set('expression', expression)
  if (count !== undefined) url.searchParams.set('count', String(count))
  if (follow) url.searchParams.set('follow', 'true')
  if (bodies) url.searchParams.set('bodies', 'true')
  return url
}
