import { catchError, Observable, throwError } from 'rxjs'
import { adminFetch } from './admin-fetch.ts'
import { traceFailure } from './trace-failure.ts'
import type { TraceOptions, TracePlan } from './trace-options.ts'
import { traceFileEvents } from './read-trace-file.ts'
import { sendRequests } from './send-request.ts'
import type { AdminClient } from '../gateway/admin-client.ts'
import type { GatewayTarget } from '../gateway/gateway-target.ts'
import { gatewayTarget } from '../gateway/gateway-targets.ts'
import type { TraceEvent } from '../../model/trace/trace-event.ts'
import type { TraceStreamState } from '../../trace/trace-events-options.ts'
import { traceEvents } from '../../trace/trace-events.ts'

/** A trace that was opened, to be subscribed to once. */
export interface OpenedTrace {
  /** The file or the gateway, for titles. */
  readonly name: string
  /** Failures say what to do. Unsubscribing closes everything. */
  readonly events$: Observable<TraceEvent>
}

/**
 * Opens what `agctl proxy trace` shows: a file, or a stream of a gateway, with the request of the arguments, which is
 * sent once the stream has begun.
 */
export const openTrace = async (
  options: TraceOptions,
  plan: TracePlan,
  onState: (state: TraceStreamState) => void = () => undefined,
): Promise<OpenedTrace> => {
  const { file } = options
  if (file !== undefined) return { name: file, events$: traceFileEvents(file) }
  const target = await gatewayTarget(options, plan.resource)
  const events$ = new Observable<TraceEvent>((subscriber) => {
    const controller = new AbortController()
    subscriber.add(() => {
      controller.abort()
    })
    target
      .withAdmin(
        (admin) =>
          new Promise<void>((resolve, reject) => {
            controller.signal.addEventListener('abort', () => {
              resolve()
            })
            const onOpened = () => {
              requestOnce(target, plan, controller.signal).catch(reject)
            }
            const subscription = streamOf(admin, options, plan, onState, onOpened).subscribe({
              next: (event) => subscriber.next(event),
              error: reject,
              complete: resolve,
            })
            subscriber.add(subscription)
          }),
      )
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      )
  })
  return { name: target.name, events$ }
}

const streamOf = (
  admin: AdminClient,
  { expression, follow = false, bodies = false }: TraceOptions,
  { count }: TracePlan,
  onState: (state: TraceStreamState) => void,
  onOpened: () => void,
): Observable<TraceEvent> => {
  const { url, token } = admin.access
  let isFirst = true
  const events$ = traceEvents(url, {
    follow,
    bodies,
    fetch: adminFetch(admin.access),
    ...(expression !== undefined && { expression }),
    ...(count !== undefined && !follow && { count }),
    ...(token !== undefined && { token }),
    onState: (state) => {
      onState(state)
      if (state === 'open' && isFirst) onOpened()
      isFirst = false
    },
  })
  return events$.pipe(catchError((error: unknown) => throwError(() => traceFailure(admin.name, error))))
}

const requestOnce = async (
  target: GatewayTarget,
  { request }: TracePlan,
  signal: AbortSignal,
): Promise<void> => {
  if (request === undefined) return
  const to = await target.reach(request.port)
  try {
    await sendRequests({ args: request.args, to, signal })
  } catch (error) {
    throw (await to.failure?.('failed to execute traced request')) ?? error
  } finally {
    to.close()
  }
}
