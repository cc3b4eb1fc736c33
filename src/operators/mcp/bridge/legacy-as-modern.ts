import { catchError, mergeMap, Observable, of, tap, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import type { JsonObject, Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { invalidParams } from '../../../protocols/mcp/errors.ts'
import { inputResponsesOf, requestStateOf } from '../../../protocols/mcp/input-required.ts'
import { LOG_LEVEL_KEY, readMeta, SERVER_INFO_KEY, withoutProtocolMeta } from '../../../protocols/mcp/meta.ts'
import { listMethodOf } from '../../../protocols/mcp/methods.ts'
import { openRequestState, requestDigest, sealRequestState } from '../../../protocols/mcp/request-state.ts'
import { newestLegacy, newestModern } from '../../../protocols/mcp/revisions.ts'
import type { RequestContext, McpCall } from '../../../upstream/mcp/transport.ts'
import { isDead, isSessionLost } from '../federation/call-server.ts'
import { SuspendedCall } from './suspended-call.ts'
import type { Lease } from './lease.ts'
import type { BridgeContext } from './bridge-context.ts'
import { legacyNotifications } from './legacy-notifications.ts'
import { belongsTo } from '../replicas/wrong-replica-error.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import { carriesServerRequests, refuseUnsolicited } from './unsolicited-requests.ts'
import { type FromServer, isOutcome, type ServerClient } from '../servers/server-client.ts'
import { principalOf } from '../sessions/principal.ts'
import type { Target } from '../servers/target.ts'

/**
 * A server with handshake and sessions, for a request of a client without sessions: the gateway does the handshake,
 * turns the server's requests into `input_required` results, and the client's next request into the responses.
 */
export class LegacyAsModern implements ServerClient {
  readonly target: string
  readonly about = undefined
  readonly revision = newestModern
  readonly sessionId = undefined
  readonly #target: Target
  readonly #x: Exchange
  readonly #bridge: BridgeContext

  constructor(target: Target, x: Exchange, bridge: BridgeContext) {
    this.target = target.name
    this.#target = target
    this.#x = x
    this.#bridge = bridge
  }

  call(original: McpCall, context: RequestContext): Observable<FromServer> {
    if (requestStateOf(original.params) !== undefined) return this.#resume(original)
    // Clients such as fastmcp send a log level with every request: it would make each list start a program.
    const call = this.#mayBeCached(original) ? withoutLogLevel(original) : original
    if (call.method === 'server/discover')
      return this.#withUnusedCache(call, (lease) => of({ result: discovered(lease) }))
    if (call.method === 'subscriptions/listen')
      return this.#withLease(call, (lease) => legacyNotifications(lease, call.params, context))
    return this.#withUnusedCache(call, (lease) => this.#begin(lease, call, context))
  }

  /**
   * An unused program lists the same for each new instance, so that none is started while the list is cached. A caller
   * with a session of its own may have changed its lists: that session is queried.
   */
  #withUnusedCache(call: McpCall, use: (lease: Lease) => Observable<FromServer>): Observable<FromServer> {
    const { method, params } = call
    const target = this.#target
    if (!this.#mayBeCached(call)) return this.#withLease(call, use)
    const { lists } = target.state
    const who = introductionIn(params)
    const kind = target.legacy === 'shared' ? 'shared' : JSON.stringify(who)
    const kept = this.#bridge.sessions.hasOwn(target, who, this.#x)
      ? undefined
      : lists.findUnused(method, kind)
    if (kept) return of(kept)
    return this.#withLease(call, (lease) =>
      use(lease).pipe(
        tap((message) => {
          if (!lease.isUsed && isOutcome(message)) lists.keepUnused(method, kind, message)
        }),
      ),
    )
  }

  /** Lists of a program for anonymous callers: the first page is the same for all. */
  #mayBeCached({ method, params }: McpCall): boolean {
    const isAnonymous = principalOf(this.#x) === ''
    return listsOnly(method) && this.#target.isProgram === true && isAnonymous && !isPresent(params?.cursor)
  }

  /** The server may have dropped an idle session meanwhile; then it did nothing, and the call is repeated. */
  #withLease(call: McpCall, use: (lease: Lease) => Observable<FromServer>): Observable<FromServer> {
    const purpose = { isReadOnly: isReadOnly(call), isOwn: call.method === 'subscriptions/listen' }
    return this.#bridge.sessions.take(this.#target, introductionIn(call.params), this.#x, purpose).pipe(
      mergeMap((lease) =>
        use(lease).pipe(
          catchError((fault: unknown) => {
            const isLost = isSessionLost(fault, lease.server)
            if (isLost) lease.discard()
            if (isLost || isDead(fault)) this.#target.state.lists.clear()
            const mayRetry = lease.isUsed && isLost
            return mayRetry ? this.#withLease(call, use) : throwError(() => fault)
          }),
        ),
      ),
    )
  }

  notify(): Promise<void> {
    return Promise.resolve()
  }

  respond(): Promise<void> {
    return Promise.resolve()
  }

  listen(): Observable<Notification | JsonRpcRequest> {
    return new Observable((out) => {
      out.complete()
    })
  }

  close(): void {
    // A leased session is released when its call ends.
  }

  #begin(lease: Lease, { method, params }: McpCall, context: RequestContext): Observable<FromServer> {
    const { suspended, ring, self } = this.#bridge
    return new Observable((out) => {
      const { clientCapabilities, logLevel } = readMeta(params)
      const state = (): string => {
        const key = suspended.add(call)
        return sealRequestState(
          {
            target: this.target,
            pending: key,
            owner: self,
            principal: principalOf(this.#x),
            digest: requestDigest(method, params),
            expiresAt: Date.now() + suspended.ttlMs,
          },
          ring,
        )
      }
      // No caller may set the log level of a shared session.
      if (logLevel !== undefined && !lease.isShared)
        lease.server.call({ method: 'logging/setLevel', params: { level: logLevel } }, context).subscribe({
          next: (message) => {
            if (!isOutcome(message) && 'id' in message)
              lease.server.respond(message.id, refuseUnsolicited(message), context).catch(ignore)
          },
          error: ignore,
        })
      const call = new SuspendedCall({ method, params: withoutProtocolMeta(params) }, out, {
        lease,
        context,
        carriesRequests: carriesServerRequests(method) && !lease.isShared,
        capabilities: clientCapabilities ?? {},
        includesLog: logLevel !== undefined,
        onNotification: (notification) => {
          this.#target.state.lists.changed(notification)
        },
        state,
      })
      return () => {
        call.abandon(out)
      }
    })
  }

  #resume({ method, params }: McpCall): Observable<FromServer> {
    const { suspended, ring, self } = this.#bridge
    const expected = {
      principal: principalOf(this.#x),
      digest: requestDigest(method, params),
      now: Date.now(),
    }
    const state = openRequestState(requestStateOf(params) ?? '', ring, expected)
    if (state?.target !== this.target) return refuse('requestState is not valid for this request')
    const { owner } = state
    if (owner && owner.replica !== self.replica) return refuse(`requestState ${belongsTo(owner, self)}`)
    const call = state.pending === undefined ? undefined : suspended.take(state.pending)
    if (!call) return refuse('requestState is used up or too old')
    return new Observable((out) => {
      call.resume(inputResponsesOf(params), out)
      return () => {
        call.abandon(out)
      }
    })
  }
}

/** A request that only lists and leaves no state in a session. */
const isReadOnly = ({ method, params }: McpCall): boolean =>
  listsOnly(method) && readMeta(params).logLevel === undefined

const listsOnly = (method: string): boolean =>
  method === 'server/discover' || (listMethodOf(method) !== undefined && !method.startsWith('tasks/'))

const withoutLogLevel = (call: McpCall): McpCall => {
  const { _meta: meta } = call.params ?? {}
  if (!isJsonObject(meta) || !(LOG_LEVEL_KEY in meta)) return call
  const { [LOG_LEVEL_KEY]: _, ...rest } = meta
  return { ...call, params: { ...call.params, _meta: rest } }
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const introductionIn = (params: JsonObject | undefined) => {
  const { clientInfo, clientCapabilities } = readMeta(params)
  return {
    protocolVersion: newestLegacy,
    capabilities: clientCapabilities ?? {},
    clientInfo: clientInfo ?? { name: 'agentgateway', version: '1' },
  }
}

/** The result of the handshake in the form of a `server/discover` result. */
const discovered = (lease: Lease): JsonObject => {
  const { capabilities, serverInfo, instructions } = lease.server.about?.result ?? {}
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
