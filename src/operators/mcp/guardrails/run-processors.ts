import { defer, from, map, mergeMap, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import type { McpGuards } from './mcp-guardrails.ts'
import { hasRequest, hasResponse } from './phase-match.ts'

/** A request on its way to servers. */
export interface ProcessedRequest {
  readonly x: Exchange
  readonly method: string
  readonly params: JsonObject | undefined
  /** Names of the servers it goes to. */
  readonly servers: readonly string[]
}

/**
 * Calls servers if the services permit it, with the params they return, and emits the result they return. Errors of
 * servers pass unchecked. Methods that no service inspects are called at once.
 *
 * Unsubscribing cancels calls to the services only if the client has disconnected; otherwise their verdicts are
 * ignored.
 */
export const runProcessors = (
  guards: McpGuards | undefined,
  { x, method, params, servers }: ProcessedRequest,
  call: (params: JsonObject | undefined) => Observable<Outcome>,
): Observable<Outcome> => {
  const phase = guards?.concerns(method) ?? 'off'
  if (!guards || phase === 'off') return call(params)
  const result = hasRequest(phase)
    ? defer(() => guards.request(method, params, x, servers)).pipe(
        mergeMap((verdict) => ('error' in verdict ? of<Outcome>(verdict) : call(verdict.params ?? params))),
      )
    : call(params)
  if (!hasResponse(phase)) return result
  return result.pipe(
    mergeMap((outcome) =>
      'error' in outcome
        ? of(outcome)
        : from(guards.response(method, outcome.result, x, servers)).pipe(
            map((verdict): Outcome =>
              'error' in verdict ? verdict : { result: verdict.result ?? outcome.result },
            ),
          ),
    ),
  )
}
