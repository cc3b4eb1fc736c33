import { catchError, filter, map, mergeMap, Observable, of, tap, throwError, timeout } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { UNSUPPORTED_PROTOCOL_VERSION } from '../../../../protocols/mcp/errors.ts'
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  PROTOCOL_VERSION_KEY,
} from '../../../../protocols/mcp/meta.ts'
import { isModern, newestModern } from '../../../../protocols/mcp/revisions.ts'
import type { ErrorObject, JsonObject, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import type { Access } from '../sessions/access.ts'
import { isDead } from '../federation/ask-peer.ts'
import { jsonRpcErrorIn } from '../answer/fault-answer.ts'
import { LegacyAsModern, type WaitingRoom } from '../bridge/legacy-as-modern.ts'
import { noteStep } from '../note-step.ts'
import { callOver, isOutcome, type Peer, WirePeer } from './peer.ts'
import type { Target } from './target.ts'

/** How requests without sessions reach servers: directly where a server speaks their revision, else through a handshake. */
export class ModernAccess implements Access {
  readonly canAsk = false
  readonly #room: WaitingRoom

  constructor(room: WaitingRoom) {
    this.#room = room
  }

  peer(target: Target, x: Exchange): Observable<Peer> {
    return speaksModern(target, x).pipe(
      map((speaks) =>
        speaks
          ? new WirePeer(target.name, newestModern, undefined, target.memory.sharedWire(target))
          : new LegacyAsModern(target, x, this.#room),
      ),
    )
  }

  forget(): void {
    // Nothing is kept between requests.
  }
}

/** Whether a server does without handshakes: known from before, or found out by asking it what it is. */
const speaksModern = (target: Target, x: Exchange): Observable<boolean> => {
  const { memory } = target
  const known = memory.speaks('modern')
  if (known !== undefined) return of(known)
  return discover(target, x).pipe(
    map((result) => {
      memory.learn('modern', result !== undefined)
      if (result === undefined) memory.dropShared()
      else memory.reached(newestModern)
      return result !== undefined
    }),
  )
}

/**
 * What a server says of itself without a handshake; undefined if it does not know the question. A server that cannot be
 * asked, or wants credentials first, says nothing about that: its fault is passed on.
 */
export const discover = (target: Target, x: Exchange): Observable<JsonObject | undefined> =>
  new Observable<JsonObject | undefined>((out) => {
    const began = x.probe?.now()
    return asked(target, x)
      .pipe(
        map((outcome) => ('result' in outcome && isDiscovery(outcome.result) ? outcome.result : undefined)),
        target.isBound ? timeout({ first: PATIENCE_MS, with: () => of(undefined) }) : (same) => same,
        catchError((fault: unknown) =>
          meansLegacy(fault, target) ? of(undefined) : throwError(() => fault),
        ),
        tap((found) => {
          noteStep(x, { step: 'discovery', target: target.name, modern: found !== undefined }, began)
        }),
      )
      .subscribe(out)
  })

/** Asks the question; again if a server refuses the revision and names it among those that it knows. */
const asked = (target: Target, x: Exchange, isAgain = false): Observable<Outcome> => {
  const call = { method: 'server/discover', params: asGateway }
  const again = (error: ErrorObject | undefined): boolean => !isAgain && offersNewest(error)
  return callOver(target.memory.sharedWire(target), call, target.behalf(x)).pipe(
    filter(isOutcome),
    mergeMap((outcome) =>
      'error' in outcome && again(outcome.error) ? asked(target, x, true) : of(outcome),
    ),
    catchError((fault: unknown) =>
      fault instanceof ServerRefused && again(jsonRpcErrorIn(fault))
        ? asked(target, x, true)
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

/** Servers that know nothing of the question answer it in any way but these. */
const meansLegacy = (fault: unknown, { isBound, memory }: Target): boolean =>
  // Somebody else asked at the same time, and has heard.
  memory.speaks('modern') === false ||
  // Some programs end, or say nothing, when they are asked something before a handshake.
  (isBound && isDead(fault)) ||
  (fault instanceof ServerRefused && fault.status < 500 && ![401, 403, 407, 429].includes(fault.status))

/** Programs take their time to start, on a busy machine more. */
const PATIENCE_MS = 15_000

const asGateway: JsonObject = {
  _meta: {
    [PROTOCOL_VERSION_KEY]: newestModern,
    [CLIENT_INFO_KEY]: { name: 'agentgateway', version: '1' },
    [CLIENT_CAPABILITIES_KEY]: {},
  },
}
