import { catchError, concat, concatMap, from, map, merge, Observable, of, tap, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { type Reply, respond } from '../../../../model/reply.ts'
import { INVALID_REQUEST } from '../../../../protocols/json-rpc/error-codes.ts'
import { isRequest, type Message, type Request } from '../../../../protocols/json-rpc/message.ts'
import { allowsBatches } from '../../../../protocols/mcp/revisions.ts'
import type { OpenStreams } from '../../../../upstream/mcp/open-streams.ts'
import { IdleEnd } from '../sessions/idle-end.ts'
import { answerBatch } from '../answer/answer-batch.ts'
import { answerWith } from '../answer/answer.ts'
import { tell } from './client-messages.ts'
import { reconnect } from '../servers/connect.ts'
import { refuseText } from './door.ts'
import type { Federation } from '../federation/federation.ts'
import type { Forbearance } from '../federation/fan-out.ts'
import { agreedRevision, initialize, introductionOf } from './initialize.ts'
import type { SessionIds } from '../sessions/mcp-session-ids.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import { noteSession } from '../sessions/note-session.ts'
import { principalOf } from '../sessions/principal.ts'
import { answerResumably, resumeAnswer } from '../answer/answer-resumably.ts'
import { type ResumableTimes, timesFor } from '../answer/resumable-times.ts'
import { restore } from '../sessions/restore.ts'
import { runRequest } from './run-request.ts'
import { McpSession } from '../sessions/session.ts'
import { stayInTouch } from '../sessions/stay-in-touch.ts'
import { streamOf } from './stream-of.ts'
import type { McpSessions } from '../sessions/sessions.ts'

/** What the door for clients with handshakes is made of. */
export interface LegacyDoorOptions extends Forbearance {
  readonly federation: Federation
  readonly sessions: McpSessions
  readonly ids: SessionIds
  readonly stateful: boolean
  readonly streams: OpenStreams
  /** Connections of answers that can be taken up again end after so long. Undefined: they last as long as the answer. */
  readonly hangUpAfterMs?: number | undefined
  /** Other replicas may go on with sessions that began here. */
  readonly sessionsMove: boolean
  /** Of the gateway. */
  readonly version: string
}

/** Where clients of revisions up to 2025-11-25 come in, over streamable HTTP. */
export class LegacyDoor {
  readonly #options: LegacyDoorOptions
  readonly #idle: IdleEnd
  readonly #times: ResumableTimes

  constructor(options: LegacyDoorOptions) {
    this.#options = options
    const { federation, hangUpAfterMs, streams } = options
    this.#times = timesFor(federation.hasStatuses, hangUpAfterMs, () => streams.isLeaving)
    this.#idle = new IdleEnd(options.federation, options.sessionsMove)
    options.sessions.endIdle = (session) => {
      this.#idle.end(session)
    }
  }

  post(x: Exchange, messages: readonly Message[], isBatch: boolean): Observable<Exchange> {
    const [first] = messages
    if (!isBatch && first && isRequest(first) && first.method === 'initialize')
      return this.#initialize(x, first)
    const session = this.#options.stateful ? this.#sessionOf(x) : this.#passing(x)
    if (!(session instanceof McpSession)) return answered(x, session)
    const requests = messages.filter(isRequest)
    if (isBatch && !allowsBatches(session.revision)) return refused(x, requests, noBatches(session.revision))
    const told = messages.filter((message) => !isRequest(message))
    const telling = from(told).pipe(
      concatMap((message) => tell(this.#options.federation, session, message, x)),
    )
    return concat(
      telling,
      requests.length === 0 ? answered(x, accepted()) : this.#run(x, session, requests),
    ).pipe(session.id ? (same) => same : tap({ finalize: () => this.#close(session, x) }))
  }

  /** The stream of what belongs to no request. */
  get(x: Exchange): Observable<Exchange> {
    if (!this.#options.stateful) return answered(x, notAllowed('POST'))
    const session = this.#sessionOf(x, 'session ID is required')
    if (!(session instanceof McpSession)) return answered(x, session)
    const lastEventId = x.request.headers.get('last-event-id')
    // Only answers have events with ids. Who asks for the rest of one that is gone must not wait for it.
    if (lastEventId !== undefined)
      return resumeAnswer(x, lastEventId, session.resumable) ?? answered(x, noSuchEvent())
    const { federation, streams } = this.#options
    const servers = federation.mayHaveNoNews ? federation.targets.length : undefined
    return streamOf(x, servers, streams, (hasNone) => this.stream(session, x, hasNone))
  }

  /** What servers say to a session outside of its requests, in the client's names. */
  stream(session: McpSession, x: Exchange, hasNone?: () => void): ReturnType<McpSession['stream']> {
    const { federation } = this.#options
    return session.stream(
      federation.targets.map((target) =>
        stayInTouch(session, target, x, hasNone).pipe(
          map((message) => federation.heard(target.name, message)),
        ),
      ),
    )
  }

  /** Ends a session. */
  delete(x: Exchange): Observable<Exchange> {
    if (!this.#options.stateful) return answered(x, notAllowed('POST'))
    const session = this.#sessionOf(x, 'session ID is required')
    if (!(session instanceof McpSession)) return answered(x, session)
    this.#options.sessions.end(session.id)
    noteSession(x, 'ended', session)
    this.#close(session, x)
    return answered(x, accepted())
  }

  #initialize(x: Exchange, request: Request): Observable<Exchange> {
    const { federation, sessions, ids, stateful } = this.#options
    let session: McpSession
    try {
      session = new McpSession(introductionOf(request.params), principalOf(x), reconnect, stateful)
    } catch (fault) {
      return answerWith(
        x,
        request.id,
        throwError(() => fault),
      )
    }
    const outcome = initialize(session, federation.targets, x, this.#options).pipe(
      map((ended) => {
        session.revision = agreedRevision(ended)
        this.#idle.hear(session, x)
        if (stateful) sessions.add(ids.make(session, federation.targets, session.revision), session)
        else this.#close(session, x)
        noteSession(x, 'begun', session)
        return ended
      }),
      tap({
        error: () => {
          this.#close(session, x)
        },
      }),
    )
    return answerWith(x, request.id, outcome, {
      fields: () => (session.id ? ['mcp-session-id', session.id] : []),
    })
  }

  #run(x: Exchange, session: McpSession, requests: readonly Request[]): Observable<Exchange> {
    const { federation, ids } = this.#options
    const [only] = requests
    if (only && requests.length === 1) {
      if (!session.id || !hasResumption(session.revision))
        return answerWith(x, only.id, runRequest(federation, session, only, x))
      return answerResumably(
        x,
        only.id,
        session.resumable,
        session.nextCallKey(only.id, ids.keeper(session)),
        (pausing) => runRequest(federation, session, only, x, pausing),
        this.#times,
        this.#options.sessions.kept,
      )
    }
    return answerBatch(
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

  /** The session that a request names, or what is wrong with that. */
  #sessionOf(
    x: Exchange,
    missing = 'session header is required for non-initialize requests',
  ): McpSession | Reply {
    const { sessions, ids, federation } = this.#options
    const id = x.request.headers.get('mcp-session-id')
    if (id === undefined) return refuseText(400, 'mcp_session_missing', missing)
    x.mcp = { ...x.mcp, sessionId: id }
    const found = sessions.find(id)
    const known = found ?? restore(id, sessions, ids, federation.targets)
    if (known && 'replica' in known)
      return refuseText(404, 'mcp_session_elsewhere', `session belongs to replica ${known.replica}`)
    // Whose session it is not learns no more than that it does not exist.
    if (known?.principal !== principalOf(x) || known.isLost)
      return refuseText(404, 'mcp_session_unknown', 'session not found')
    known.touch()
    this.#idle.hear(known, x)
    noteSession(x, found ? 'found' : 'restored', known)
    return known
  }

  /** A session for one request: whoever does without them introduces nobody in particular. */
  #passing(x: Exchange): McpSession {
    const who = {
      protocolVersion: x.request.headers.get('mcp-protocol-version') ?? '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'agentgateway', version: this.#options.version },
    }
    const session = new McpSession(who, principalOf(x), reconnect, false)
    session.revision = who.protocolVersion
    noteSession(x, 'passing', session)
    return session
  }

  #close(session: McpSession, x: Exchange): void {
    session.close((name) => this.#options.federation.target(name)?.behalf(x))
  }
}

/** One answer that is whole already. */
export const answered = (x: Exchange, reply: Reply): Observable<Exchange> => {
  x.reply = reply
  return of(x)
}

/** Older clients take an event without a message for a broken one. */
const hasResumption = (revision: string): boolean => revision >= '2025-11-25'

const accepted = (): Reply => respond(202, '')

/** There is nothing here for this method. */
export const notAllowed = (allow: string): Reply =>
  refuseText(405, 'mcp_method', 'method not allowed; must be GET, POST, or DELETE', { allow })

const noSuchEvent = (): Reply =>
  refuseText(400, 'mcp_event_unknown', 'nothing is kept of an answer with this event')

const refused = (x: Exchange, requests: readonly Request[], fault: Fault): Observable<Exchange> =>
  answerWith(
    x,
    requests[0]?.id ?? null,
    throwError(() => fault),
  )

const noBatches = (revision: string): McpRefusal =>
  new McpRefusal('mcp_refused', {
    status: 400,
    error: { code: INVALID_REQUEST, message: `revision ${revision} has no batches` },
  })
