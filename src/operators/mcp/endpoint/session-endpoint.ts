import {
  catchError,
  concat,
  concatMap,
  from,
  map,
  merge,
  mergeMap,
  Observable,
  of,
  tap,
  throwError,
} from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { type Reply, respond } from '../../../model/exchange/reply.ts'
import { isRequest, type Message, type JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { allowsBatches, allowsPriming, offeredFor } from '../../../protocols/mcp/revisions.ts'
import type { OpenStreams } from '../../../upstream/mcp/open-streams.ts'
import { endSession } from '../sessions/end-session.ts'
import { IdleTimeout } from '../sessions/idle-timeout.ts'
import { respondBatch } from '../response/respond-batch.ts'
import { respondWith } from '../response/respond.ts'
import { forwardNotification } from './forward-notification.ts'
import { reconnect } from '../servers/connect.ts'
import { withReply, methodNotAllowed, refuseText } from './check-request.ts'
import { SessionErrors } from '../session-errors.ts'
import type { Federation } from '../federation/federation.ts'
import { initialize, type InitializeOptions, introductionOf } from './initialize.ts'
import type { SessionIds } from '../sessions/session-ids.ts'
import { McpSession, recordSession } from '../sessions/session.ts'
import { principalOf } from '../sessions/principal.ts'
import { respondResumable, resumeResponse } from '../response/respond-resumable.ts'
import { type ResumableTiming, timingFor } from '../response/resumable-timing.ts'
import { restore } from '../sessions/restore-session.ts'
import { runRequest, noBatches } from './run-request.ts'
import { serverNotifications } from '../sessions/server-notifications.ts'
import { notificationStream } from './notification-stream.ts'
import type { SessionStore } from '../sessions/session-store.ts'

/** Options of the endpoint for clients with handshakes. */
export interface SessionEndpointOptions extends InitializeOptions {
  readonly federation: Federation
  readonly sessions: SessionStore
  readonly ids: SessionIds
  readonly streams: OpenStreams
  /** Connections of resumable responses end after this time. Undefined: they last as long as the response. */
  readonly hangUpAfterMs?: number | undefined
  /** Other replicas may continue sessions that began here. */
  readonly sessionsMove: boolean
}

/** The endpoint for clients of revisions up to 2025-11-25, over streamable HTTP. */
export class SessionEndpoint {
  readonly #options: SessionEndpointOptions
  readonly #idle: IdleTimeout
  readonly #timing: ResumableTiming

  constructor(options: SessionEndpointOptions) {
    this.#options = options
    const { federation, hangUpAfterMs, streams } = options
    this.#timing = timingFor(federation.hasStatuses, hangUpAfterMs, () => streams.isShuttingDown)
    this.#idle = new IdleTimeout(options.federation, options.sessionsMove)
    options.sessions.endIdle = (session) => {
      this.#idle.end(session)
    }
  }

  post(x: Exchange, messages: readonly Message[], isBatch: boolean): Observable<Exchange> {
    const [first] = messages
    if (!isBatch && first && isRequest(first) && first.method === 'initialize')
      return this.#initialize(x, first)
    const session = this.#options.stateful ? this.#sessionOf(x) : this.#passing(x)
    if (!(session instanceof McpSession)) return withReply(x, session)
    const requests = messages.filter(isRequest)
    if (isBatch && !allowsBatches(session.revision)) return refused(x, requests, noBatches(session.revision))
    const notifications = messages.filter((message) => !isRequest(message))
    const forwarding = from(notifications).pipe(
      concatMap((message) => forwardNotification(this.#options.federation, session, message, x)),
    )
    return concat(
      forwarding,
      requests.length === 0 ? withReply(x, accepted()) : this.#run(x, session, requests),
    ).pipe(session.id ? (same) => same : tap({ finalize: () => this.#close(session, x) }))
  }

  /** The GET stream of messages that belong to no request. */
  get(x: Exchange): Observable<Exchange> {
    if (!this.#options.stateful) return withReply(x, methodNotAllowed('POST'))
    const session = this.#sessionOf(x, 'session ID is required')
    if (!(session instanceof McpSession)) return withReply(x, session)
    const lastEventId = x.request.headers.get('last-event-id')
    // Only responses have events with ids. A client must not wait for the rest of one that is gone.
    if (lastEventId !== undefined)
      return resumeResponse(x, lastEventId, session.resumable) ?? withReply(x, noSuchEvent())
    const { federation, streams } = this.#options
    const servers = federation.mayLackNotifications ? federation.targets.length : undefined
    return notificationStream(x, servers, streams, (hasNone) => this.stream(session, x, hasNone))
  }

  /** Messages of servers outside of requests, in the client's names. */
  stream(session: McpSession, x: Exchange, hasNone?: () => void): ReturnType<McpSession['stream']> {
    const { federation } = this.#options
    return session.stream(
      federation.targets.map((target) =>
        serverNotifications(session, target, x, hasNone).pipe(
          map((message) => federation.toClient(target.name, message)),
        ),
      ),
    )
  }

  /** Ends a session. */
  delete(x: Exchange): Observable<Exchange> {
    if (!this.#options.stateful) return withReply(x, methodNotAllowed('POST'))
    const session = this.#sessionOf(x, 'session ID is required')
    if (!(session instanceof McpSession)) return withReply(x, session)
    this.#options.sessions.end(session.id)
    recordSession(x, 'ended', session)
    return endSession(session, this.#options.federation, x).pipe(
      mergeMap((status) => withReply(x, respond(status, ''))),
    )
  }

  #initialize(x: Exchange, request: JsonRpcRequest): Observable<Exchange> {
    const { federation, sessions, ids, stateful, offered } = this.#options
    x.protocol.localReplyFormat = new SessionErrors(request.id)
    let session: McpSession
    try {
      session = new McpSession(introductionOf(request.params, offered), principalOf(x), reconnect, stateful)
    } catch (fault) {
      return respondWith(
        x,
        request.id,
        throwError(() => fault),
        { inSession: true },
      )
    }
    const outcome = initialize(session, federation.targets, x, this.#options).pipe(
      map((ended) => {
        this.#idle.record(session, x)
        if (stateful) sessions.add(ids.make(session, federation.targets, session.revision), session)
        else this.#close(session, x)
        recordSession(x, 'begun', session)
        return ended
      }),
      tap({
        error: () => {
          this.#close(session, x)
        },
      }),
    )
    return respondWith(x, request.id, outcome, {
      fields: () => (session.id ? ['mcp-session-id', session.id] : []),
      inSession: true,
    })
  }

  #run(x: Exchange, session: McpSession, requests: readonly JsonRpcRequest[]): Observable<Exchange> {
    const { federation, ids } = this.#options
    const [only] = requests
    if (only && requests.length === 1) {
      x.protocol.localReplyFormat = new SessionErrors(only.id)
      if (!session.id || !allowsPriming(session.revision))
        return respondWith(x, only.id, runRequest(federation, session, only, x), { inSession: true })
      return respondResumable(
        x,
        only.id,
        session.resumable,
        session.nextCallKey(only.id, ids.ownerTokenFor(session)),
        (pausing) => runRequest(federation, session, only, x, pausing),
        this.#timing,
        this.#options.sessions.replayBudget,
      )
    }
    return respondBatch(
      x,
      merge(
        ...requests.map((request) =>
          runRequest(federation, session, request, x).pipe(
            map((message) => ({ id: request.id, message })),
            catchError((fault: unknown) =>
              fault instanceof Fault ? of({ id: request.id, message: fault }) : throwError(() => fault),
            ),
          ),
        ),
      ),
    )
  }

  /** The session that a request names, or the refusal. */
  #sessionOf(
    x: Exchange,
    missing = 'session header is required for non-initialize requests',
  ): McpSession | Reply {
    const { sessions, ids, federation, offered } = this.#options
    const id = x.request.headers.get('mcp-session-id')
    if (id === undefined) return refuseText(400, 'mcp_session_missing', missing)
    x.protocol.mcp = { ...x.protocol.mcp, sessionId: id }
    const found = sessions.find(id)
    const known = found ?? restore(id, sessions, ids, federation.targets)
    if (known && 'replica' in known)
      return refuseText(404, 'mcp_session_elsewhere', `session ${ids.belongsTo(known)}`)
    // To other principals the session does not exist.
    const isOffered = offered.some((one) => one === known?.revision)
    if (known?.principal !== principalOf(x) || known.isLost || !isOffered)
      return refuseText(404, 'mcp_session_unknown', 'session not found')
    known.touch()
    this.#idle.record(known, x)
    recordSession(x, found ? 'found' : 'restored', known)
    return known
  }

  /** A session for one request, where the backend is stateless: the client is unknown. */
  #passing(x: Exchange): McpSession {
    const who = {
      protocolVersion: x.request.headers.get('mcp-protocol-version') ?? '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'agentgateway', version: this.#options.version },
    }
    const session = new McpSession(who, principalOf(x), reconnect, false)
    const unnamed = offeredFor(UNNAMED, this.#options.offered) ?? UNNAMED
    session.revision = x.request.headers.get('mcp-protocol-version') ?? unnamed
    recordSession(x, 'passing', session)
    return session
  }

  #close(session: McpSession, x: Exchange): void {
    session.close((name) => this.#options.federation.target(name)?.requestContext(x))
  }
}

/** The last revision whose clients do not send it with each request. */
const UNNAMED = '2025-03-26'

const accepted = (): Reply => respond(202, '')

const noSuchEvent = (): Reply =>
  refuseText(400, 'mcp_event_unknown', 'nothing is kept of an answer with this event')

const refused = (x: Exchange, requests: readonly JsonRpcRequest[], fault: Fault): Observable<Exchange> =>
  respondWith(
    x,
    requests[0]?.id ?? null,
    throwError(() => fault),
  )
