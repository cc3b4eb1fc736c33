import { catchError, concat, EMPTY, ignoreElements, map, mergeMap, Observable, Subscription, tap } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { respond } from '../../../../model/reply.ts'
import { encodeMessage, encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import { isRequest, type Request } from '../../../../protocols/json-rpc/message.ts'
import type { Closable } from '../../../../upstream/leaving.ts'
import { StreamedAnswer } from '../answer/answer.ts'
import { tell } from './client-messages.ts'
import { reconnect } from '../servers/connect.ts'
import { checkGet, refuseText, unreadable } from './door.ts'
import { takeDownHeard } from '../federation/facts.ts'
import { errorOf } from '../answer/fault-answer.ts'
import { readMessages } from './heard-body.ts'
import { agreedRevision, initialize, introductionOf } from './initialize.ts'
import { answered, type LegacyDoor, type LegacyDoorOptions, notAllowed } from './legacy-door.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import { principalOf } from '../sessions/principal.ts'
import { runRequest } from './run-request.ts'
import { McpSession } from '../sessions/session.ts'

/** A client of the older transport: one stream for everything that it hears. */
interface Channel {
  readonly principal: string
  readonly answer: StreamedAnswer
  /** There once the client has introduced itself. */
  session: McpSession | undefined
  /** Ends with the stream. */
  readonly under: Subscription
}

/** Streams of the older transport that are open. They live in this process, and in no other. */
export class SseChannels implements Closable {
  readonly byId = new Map<string, Channel>()

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    for (const { answer } of this.byId.values()) answer.end()
    return Promise.resolve()
  }
}

/** Where clients of 2024-11-05 come in: a stream to listen to, and an address to post to, named by the stream. */
export class SseDoor {
  readonly #options: LegacyDoorOptions & { readonly door: LegacyDoor; readonly limitBytes: number }
  readonly #channels: SseChannels

  constructor(
    options: LegacyDoorOptions & { readonly door: LegacyDoor; readonly limitBytes: number },
    channels: SseChannels,
  ) {
    this.#options = options
    this.#channels = channels
  }

  serve(x: Exchange): Observable<Exchange> {
    const { method } = x.request
    if (method === 'GET') return this.#open(x)
    return method === 'POST' ? this.#post(x) : answered(x, notAllowed('GET, POST'))
  }

  #open(x: Exchange): Observable<Exchange> {
    const wrong = checkGet(x.request.headers)
    if (wrong) return answered(x, wrong)
    const { byId } = this.#channels
    if (byId.size >= CHANNELS_LIMIT)
      return answered(
        x,
        refuseText(503, 'mcp_too_many_sessions', `more than ${CHANNELS_LIMIT} streams are open`),
      )
    return new Observable((out) => {
      const principal = principalOf(x)
      const id = this.#options.ids.makeStream(principal)
      const answer = new StreamedAnswer(x, out, {})
      const channel: Channel = {
        principal,
        answer,
        session: undefined,
        under: new Subscription(),
      }
      byId.set(id, channel)
      out.add(() => {
        byId.delete(id)
        answer.stop()
        channel.under.unsubscribe()
        channel.session?.close((name) => this.#options.federation.target(name)?.behalf(x))
      })
      out.add(
        this.#options.streams.add(() => {
          answer.end()
        }),
      )
      answer.say(`${x.request.received.path}?sessionId=${id}`, 'endpoint')
    })
  }

  #post(x: Exchange): Observable<Exchange> {
    const id = new URLSearchParams(x.request.query).get('sessionId')
    if (id === null) return answered(x, refuseText(422, 'mcp_session_missing', NO_SESSION_ID))
    const channel = this.#channels.byId.get(id)
    if (channel?.principal !== principalOf(x))
      return answered(x, refuseText(404, 'mcp_session_unknown', 'session not found'))
    return readMessages(x, this.#options.limitBytes).pipe(
      mergeMap((parsed) => {
        if ('error' in parsed) return answered(x, unreadable(parsed.error))
        takeDownHeard(x, parsed.messages)
        const [message] = parsed.messages
        if (!message || parsed.batch)
          return answered(x, refuseText(400, 'mcp_unreadable', 'this revision has no batches'))
        if (isRequest(message)) {
          this.#begin(x, channel, message)
          return answered(x, respond(202, ''))
        }
        const { session } = channel
        const telling = session ? tell(this.#options.federation, session, message, x) : EMPTY
        return concat(telling, answered(x, respond(202, '')))
      }),
    )
  }

  /** The answer comes through the stream, however long that takes. */
  #begin(x: Exchange, channel: Channel, request: Request): void {
    const { answer, under } = channel
    const { id } = request
    under.add(
      this.#answer(x, channel, request)
        .pipe(
          tap((message) => {
            answer.say(isOutcome(message) ? encodeResponse(id, message) : encodeMessage(message))
          }),
          catchError((fault: unknown) => {
            if (!(fault instanceof Fault)) throw fault
            answer.say(encodeResponse(id, { error: errorOf(fault) }))
            return EMPTY
          }),
        )
        .subscribe(),
    )
  }

  #answer(x: Exchange, channel: Channel, request: Request): Observable<FromServer> {
    const { federation } = this.#options
    if (channel.session) return runRequest(federation, channel.session, request, x)
    const session = new McpSession(
      introductionOf(request.method === 'initialize' ? request.params : undefined),
      channel.principal,
      reconnect,
    )
    channel.session = session
    return initialize(session, federation.targets, x, this.#options).pipe(
      tap({
        next: (outcome) => {
          session.revision = agreedRevision(outcome)
          channel.under.add(this.#hear(session, channel, x))
        },
        error: () => {
          channel.session = undefined
        },
      }),
    )
  }

  /** What belongs to no request takes the same way. */
  #hear(session: McpSession, { answer }: Channel, x: Exchange): Subscription {
    return this.#options.door
      .stream(session, x)
      .pipe(
        map(encodeMessage),
        tap((json) => {
          answer.say(json)
        }),
        ignoreElements(),
      )
      .subscribe()
  }
}

const CHANNELS_LIMIT = 10_000
const NO_SESSION_ID = 'failed to process session_id query parameter'
