import { defer, from, map, mergeMap, type Observable, of } from 'rxjs'
import type { Exchange } from '../../model/exchange.ts'
import type { JsonObject, Outcome } from '../../protocols/json-rpc/message.ts'
import type { McpGuards } from '../mcp-guardrails.ts'
import { hasRequest, hasResponse } from './phase-of.ts'

/** A request on its way to servers. */
export interface GuardedRequest {
  readonly x: Exchange
  readonly method: string
  readonly params: JsonObject | undefined
  /** Names of the servers it goes to. */
  readonly servers: readonly string[]
}

/**
 * Asks servers if the services that guard them let it pass, with the params that those leave, and gives the result that
 * those leave of it. Errors of servers pass. What nobody wants to see is asked at once.
 *
 * Unsubscribing tells the services that nobody waits any more only where the client has left; otherwise what they say is
 * not heard.
 */
export const guarded = (
  guards: McpGuards | undefined,
  { x, method, params, servers }: GuardedRequest,
  ask: (params: JsonObject | undefined) => Observable<Outcome>,
): Observable<Outcome> => {
  const phase = guards?.concerns(method) ?? 'off'
  if (!guards || phase === 'off') return ask(params)
  const asked = hasRequest(phase)
    ? defer(() => guards.request(method, params, x, servers)).pipe(
        mergeMap((seen) => ('error' in seen ? of<Outcome>(seen) : ask(seen.params ?? params))),
      )
    : ask(params)
  if (!hasResponse(phase)) return asked
  return asked.pipe(
    mergeMap((outcome) =>
      'error' in outcome
        ? of(outcome)
        : from(guards.response(method, outcome.result, x, servers)).pipe(
            map((seen): Outcome => ('error' in seen ? seen : { result: seen.result ?? outcome.result })),
          ),
    ),
  )
}
