import { catchError, filter, map, mergeMap, Observable, of, tap, throwError, timeout } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { ErrorObject, JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import { UNSUPPORTED_PROTOCOL_VERSION } from '../../../protocols/mcp/errors.ts'
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  PROTOCOL_VERSION_KEY,
} from '../../../protocols/mcp/meta.ts'
import { isModern, newestModern } from '../../../protocols/mcp/revisions.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { isDead } from '../federation/call-server.ts'
import { jsonRpcErrorIn } from '../response/json-rpc-error.ts'
import { traceStep } from '../trace-step.ts'
import { callThrough, isOutcome } from './server-client.ts'
import type { Target } from './target.ts'

/**
 * The result of `server/discover`; undefined if the server does not have the method. A server that cannot be reached,
 * or requires credentials first, proves nothing: its fault is raised.
 */
export const discover = (target: Target, x: Exchange): Observable<JsonObject | undefined> =>
  new Observable<JsonObject | undefined>((out) => {
    const began = x.probe?.now()
    return requestDiscovery(target, x)
      .pipe(
        map((outcome) => {
          if ('result' in outcome && isDiscovery(outcome.result)) return outcome.result
          // The process runs and does not have the method: it is reused for the handshake.
          if (target.isProgram && 'error' in outcome) target.state.keepProbed()
          return undefined
        }),
        target.isBound ? timeout({ first: DISCOVERY_TIMEOUT_MS, with: () => of(undefined) }) : (same) => same,
        catchError((fault: unknown) =>
          meansLegacy(fault, target) ? of(undefined) : throwError(() => fault),
        ),
        tap((found) => {
          traceStep(x, { step: 'discovery', target: target.name, modern: found !== undefined }, began)
        }),
      )
      .subscribe(out)
  })

/** Sends the request; again if a server refuses the revision and lists it as supported. */
const requestDiscovery = (target: Target, x: Exchange, isRetry = false): Observable<Outcome> => {
  const call = { method: 'server/discover', params: asGateway }
  const mayRetry = (error: ErrorObject | undefined): boolean => !isRetry && offersNewest(error)
  return callThrough(target.state.sharedTransport(target), call, target.requestContext(x)).pipe(
    filter(isOutcome),
    mergeMap((outcome) =>
      'error' in outcome && mayRetry(outcome.error) ? requestDiscovery(target, x, true) : of(outcome),
    ),
    catchError((fault: unknown) =>
      fault instanceof ServerRefused && mayRetry(jsonRpcErrorIn(fault))
        ? requestDiscovery(target, x, true)
        : throwError(() => fault),
    ),
  )
}

const offersNewest = (error: ErrorObject | undefined): boolean => {
  const { supported } = (error?.data ?? {}) as { readonly supported?: unknown }
  return (
    error?.code === UNSUPPORTED_PROTOCOL_VERSION &&
    Array.isArray(supported) &&
    supported.includes(newestModern)
  )
}

const isDiscovery = ({ supportedVersions }: JsonObject): boolean =>
  Array.isArray(supportedVersions) &&
  supportedVersions.some((one) => typeof one === 'string' && isModern(one))

/** Servers without the method fail in any way but these. */
const meansLegacy = (fault: unknown, { isBound, state }: Target): boolean =>
  // A concurrent request has detected it.
  state.supports('modern') === false ||
  // Some programs exit, or do not respond, on a request before the handshake.
  (isBound && isDead(fault)) ||
  (fault instanceof ServerRefused && fault.status < 500 && ![401, 403, 407, 429].includes(fault.status))

/** Programs start slowly on a busy machine. */
const DISCOVERY_TIMEOUT_MS = 15_000

const asGateway: JsonObject = {
  _meta: {
    [PROTOCOL_VERSION_KEY]: newestModern,
    [CLIENT_INFO_KEY]: { name: 'agentgateway', version: '1' },
    [CLIENT_CAPABILITIES_KEY]: {},
  },
}
