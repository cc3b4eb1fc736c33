import { catchError, filter, map, Observable, Subscription, timeout } from 'rxjs'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import { isModern } from '../../../protocols/mcp/revisions.ts'
import type { RequestContext, Transport } from '../../../upstream/mcp/transport.ts'
import { ServerErred } from '../response/json-rpc-error.ts'
import { callThrough, isOutcome, TransportClient } from './server-client.ts'
import type { Target } from './target.ts'

/** The client's parameters of `initialize`. */
export interface Introduction {
  readonly protocolVersion: string
  readonly capabilities: JsonObject
  readonly clientInfo: JsonObject
}

/**
 * Begins a session with a server. Emits its client once it has responded; a session that is refused, or no longer
 * wanted by then, leaves nothing open.
 *
 * Errors with `ServerErred` if the server sent a JSON-RPC error.
 */
export const handshake = (
  target: Target,
  who: Introduction,
  context: RequestContext,
): Observable<TransportClient> => {
  const params = { ...who } as JsonObject
  const initialize = (transport: Transport): Observable<TransportClient> =>
    callThrough(transport, { method: 'initialize', params }, context).pipe(
      filter(isOutcome),
      map((outcome) => {
        if ('error' in outcome) throw new ServerErred(target.name, outcome.error)
        const { result } = outcome
        const revision = agreedRevision(result.protocolVersion, who)
        transport.agreed(revision)
        return new TransportClient(
          target.name,
          revision,
          { capabilities: jsonObjectOr(result.capabilities), result },
          transport,
        )
      }),
    )
  return withTransport(target, context, initialize)
}

/**
 * Uses a new transport, and closes it unless it succeeds. A server that is beginning a session cannot be stopped: an
 * unwanted session is ended once its id is known.
 */
const withTransport = <T>(
  target: Target,
  context: RequestContext,
  use: (transport: Transport) => Observable<T>,
): Observable<T> =>
  new Observable((out) => {
    const probed = target.state.takeProbed()
    const fresh = (): Observable<T> =>
      withOpenTransport(target.createTransport('legacy'), target, context, use)
    return (
      probed
        ? // Some servers break on a request before the handshake.
          withOpenTransport(probed, target, context, use).pipe(
            timeout({ first: PROBED_MS }),
            catchError(fresh),
          )
        : fresh()
    ).subscribe(out)
  })

const withOpenTransport = <T>(
  transport: Transport,
  target: Target,
  context: RequestContext,
  use: (transport: Transport) => Observable<T>,
): Observable<T> =>
  new Observable((out) => {
    const run = new Subscription()
    let isTaken = false
    let closeTimer: NodeJS.Timeout | undefined
    const stop = (): void => {
      clearTimeout(closeTimer)
      run.unsubscribe()
      transport.close(context)
    }
    run.add(
      use(transport).subscribe({
        next: (server) => {
          isTaken = !out.closed
          if (isTaken) out.next(server)
          else stop()
        },
        error: (fault: unknown) => {
          stop()
          out.error(fault)
        },
        complete: () => {
          out.complete()
        },
      }),
    )
    return () => {
      if (isTaken || run.closed) return
      // A process or a connection ends with its transport.
      if (target.isBound) stop()
      else closeTimer = setTimeout(stop, ABANDONED_TIMEOUT_MS).unref()
    }
  })

/** A server that names no revision with a handshake speaks the requested one. */
const agreedRevision = (revision: unknown, { protocolVersion }: Introduction): string =>
  typeof revision === 'string' && !isModern(revision) ? revision : protocolVersion

const ABANDONED_TIMEOUT_MS = 10_000
/** Timeout for a running process, which only has to respond. */
const PROBED_MS = 5_000
