import { defer, filter, map, type Observable, tap } from 'rxjs'
import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import type { Behalf, Wire } from '../../../upstream/mcp/wire.ts'
import { ServerErred } from './mcp-refusal.ts'
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
          { capabilities: objectOr(result.capabilities), result },
          wire,
        )
      }),
    ),
  )
}

/** Uses a new wire, and closes it unless something came of it. */
const withWire = <T>(target: Target, behalf: Behalf, use: (wire: Wire) => Observable<T>): Observable<T> =>
  defer(() => {
    let taken = false
    const wire = target.wire('legacy')
    return use(wire).pipe(
      tap({
        next: () => {
          taken = true
        },
        finalize: () => {
          if (!taken) wire.close(behalf)
        },
      }),
    )
  })

const objectOr = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
