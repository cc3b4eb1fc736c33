import { filter, map, Observable, Subscription } from 'rxjs'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { JsonObject } from '../../../../protocols/json-rpc/message.ts'
import type { Behalf, Wire } from '../../../../upstream/mcp/wire.ts'
import { ServerErred } from '../answer/mcp-refusal.ts'
import { callOver, isOutcome, WirePeer } from './peer.ts'
import type { Target } from './target.ts'

/** Who asks, as `initialize` says it. */
export interface Introduction {
  readonly protocolVersion: string
  readonly capabilities: JsonObject
  readonly clientInfo: JsonObject
}

/**
 * Begins a session with a server. Emits the server once it has answered; a session that is not wanted any more by then,
 * or was refused, leaves nothing behind.
 *
 * Errors with `ServerErred` if the server answered with a JSON-RPC error.
 */
export const handshake = (target: Target, who: Introduction, behalf: Behalf): Observable<WirePeer> => {
  const params = { ...who } as JsonObject
  return withWire(target, behalf, (wire) =>
    callOver(wire, { method: 'initialize', params }, behalf).pipe(
      filter(isOutcome),
      map((outcome) => {
        if ('error' in outcome) throw new ServerErred(target.name, outcome.error)
        const { result } = outcome
        const revision = String(result.protocolVersion)
        wire.agreed(revision)
        return new WirePeer(
          target.name,
          revision,
          { capabilities: jsonObjectOr(result.capabilities), result },
          wire,
        )
      }),
    ),
  )
}

/**
 * Uses a new wire, and closes it unless something came of it. A server that is on its way to begin a session cannot be
 * told to leave it: who does not want it any more waits for its name, and ends it then.
 */
const withWire = <T>(target: Target, behalf: Behalf, use: (wire: Wire) => Observable<T>): Observable<T> =>
  new Observable((out) => {
    const wire = target.wire('legacy')
    const run = new Subscription()
    let isTaken = false
    let patience: NodeJS.Timeout | undefined
    const stop = (): void => {
      clearTimeout(patience)
      run.unsubscribe()
      wire.close(behalf)
    }
    run.add(
      use(wire).subscribe({
        next: (peer) => {
          isTaken = !out.closed
          if (isTaken) out.next(peer)
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
      // What is a process or a connection ends with it.
      if (target.isBound) stop()
      else patience = setTimeout(stop, PATIENCE_MS).unref()
    }
  })

const PATIENCE_MS = 10_000
