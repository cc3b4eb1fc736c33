import { catchError, mergeMap, Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Owner } from '../../../../model/owner.ts'
import type { JsonObject, Notification, Request } from '../../../../protocols/json-rpc/message.ts'
import { invalidParams } from '../../../../protocols/mcp/errors.ts'
import { inputResponsesOf, requestStateOf } from '../../../../protocols/mcp/input-required.ts'
import { readMeta, SERVER_INFO_KEY, withoutProtocolMeta } from '../../../../protocols/mcp/meta.ts'
import { openRequestState, requestDigest, sealRequestState } from '../../../../protocols/mcp/request-state.ts'
import { newestLegacy, newestModern } from '../../../../protocols/mcp/revisions.ts'
import type { SealRing } from '../../../../protocols/seal/seal-ring.ts'
import type { Behalf, Call } from '../../../../upstream/mcp/wire.ts'
import { isForgotten } from '../federation/ask-peer.ts'
import { HeldCall } from './held-call.ts'
import type { HeldCalls } from './held-calls.ts'
import type { Lease, Leases } from './leases.ts'
import { legacyNews } from './legacy-news.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { FromServer, Peer } from '../servers/peer.ts'
import { principalOf } from '../sessions/principal.ts'
import type { Target } from '../servers/target.ts'

/** Where what has to wait waits. */
export interface WaitingRoom {
  readonly leases: Leases
  readonly held: HeldCalls
  readonly ring: SealRing
  /** What this process is called among its replicas. */
  readonly self: Owner
}

/**
 * A server that wants a handshake and has sessions, for a request of a client without: the gateway shakes hands, turns
 * what the server asks into results that want input, and the client's next request into the answers.
 */
export class LegacyAsModern implements Peer {
  readonly target: string
  readonly about = undefined
  readonly revision = newestModern
  readonly sessionId = undefined
  readonly #target: Target
  readonly #x: Exchange
  readonly #room: WaitingRoom

  constructor(target: Target, x: Exchange, room: WaitingRoom) {
    this.target = target.name
    this.#target = target
    this.#x = x
    this.#room = room
  }

  call(call: Call, behalf: Behalf): Observable<FromServer> {
    if (requestStateOf(call.params) !== undefined) return this.#resume(call)
    if (call.method === 'server/discover')
      return this.#leased(call, (lease) => of({ result: discovered(lease) }))
    if (call.method === 'subscriptions/listen')
      return this.#leased(call, (lease) => legacyNews(lease, call.params, behalf))
    return this.#leased(call, (lease) => this.#begin(lease, call, behalf))
  }

  /** A session that was kept may have been forgotten by the server meanwhile, which did nothing then. */
  #leased(call: Call, use: (lease: Lease) => Observable<FromServer>): Observable<FromServer> {
    return this.#room.leases.take(this.#target, introductionIn(call.params), this.#x).pipe(
      mergeMap((lease) =>
        use(lease).pipe(
          catchError((fault: unknown) => {
            const again = lease.isUsed && isForgotten(fault, lease.peer)
            return again ? this.#leased(call, use) : throwError(() => fault)
          }),
        ),
      ),
    )
  }

  notify(): Promise<void> {
    return Promise.resolve()
  }

  answer(): Promise<void> {
    return Promise.resolve()
  }

  listen(): Observable<Notification | Request> {
    return new Observable((out) => {
      out.complete()
    })
  }

  close(): void {
    // What was leased goes back when its call ends.
  }

  #begin(lease: Lease, { method, params }: Call, behalf: Behalf): Observable<FromServer> {
    const { held, ring, self } = this.#room
    return new Observable((out) => {
      const { clientCapabilities, logLevel } = readMeta(params)
      const state = (): string => {
        const key = held.add(call)
        return sealRequestState(
          {
            target: this.target,
            pending: key,
            owner: self,
            principal: principalOf(this.#x),
            digest: requestDigest(method, params),
            expiresAt: Date.now() + held.ttlMs,
          },
          ring,
        )
      }
      if (logLevel !== undefined)
        lease.peer
          .call({ method: 'logging/setLevel', params: { level: logLevel } }, behalf)
          .subscribe({ error: ignore })
      const call = new HeldCall({ method, params: withoutProtocolMeta(params) }, out, {
        lease,
        behalf,
        capabilities: clientCapabilities ?? {},
        wantsLog: logLevel !== undefined,
        state,
      })
      return () => {
        call.abandon(out)
      }
    })
  }

  #resume({ method, params }: Call): Observable<FromServer> {
    const { held, ring, self } = this.#room
    const expected = {
      principal: principalOf(this.#x),
      digest: requestDigest(method, params),
      now: Date.now(),
    }
    const state = openRequestState(requestStateOf(params) ?? '', ring, expected)
    if (state?.target !== this.target) return refuse('requestState is not valid for this request')
    if (state.owner?.replica !== self.replica)
      return refuse(`requestState belongs to replica ${state.owner?.replica ?? ''}`)
    const call = state.pending === undefined ? undefined : held.take(state.pending)
    if (!call) return refuse('requestState is used up or too old')
    return new Observable((out) => {
      call.resume(inputResponsesOf(params), out)
      return () => {
        call.abandon(out)
      }
    })
  }
}

const introductionIn = (params: JsonObject | undefined) => {
  const { clientInfo, clientCapabilities } = readMeta(params)
  return {
    protocolVersion: newestLegacy,
    capabilities: clientCapabilities ?? {},
    clientInfo: clientInfo ?? { name: 'agentgateway', version: '1' },
  }
}

/** What the handshake told, as an answer to `server/discover`. */
const discovered = (lease: Lease): JsonObject => {
  const { capabilities, serverInfo, instructions } = lease.peer.about?.result ?? {}
  lease.release(false)
  return {
    resultType: 'complete',
    supportedVersions: [newestModern],
    capabilities: { ...(capabilities as JsonObject | undefined) },
    ...(typeof instructions === 'string' && { instructions }),
    ...(serverInfo !== undefined && { _meta: { [SERVER_INFO_KEY]: serverInfo } }),
    ttlMs: 0,
    cacheScope: 'private',
  }
}

const refuse = (problem: string): Observable<never> =>
  throwError(() => new McpRefusal('mcp_request_state', invalidParams(problem)))

const ignore = (): void => undefined
