import {
  catchError,
  concat,
  concatMap,
  EMPTY,
  from,
  ignoreElements,
  map,
  mergeMap,
  Observable,
  Subscription,
  tap,
} from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { respond } from '../../../model/exchange/reply.ts'
import { encodeMessage, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import { isRequest, type JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { allowsBatches } from '../../../protocols/mcp/revisions.ts'
import type { Closable } from '../../../upstream/draining.ts'
import { StreamedResponse } from '../response/respond.ts'
import { forwardNotification } from './forward-notification.ts'
import { reconnect } from '../servers/connect.ts'
import { withReply, checkGet, methodNotAllowed, refuseText, unreadable } from './check-request.ts'
import { recordRequest } from '../federation/attributes.ts'
import { errorOf } from '../response/json-rpc-error.ts'
import { readMessages } from './parsed-body.ts'
import { initialize, introductionOf } from './initialize.ts'
import type { SessionEndpoint, SessionEndpointOptions } from './session-endpoint.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import { principalOf } from '../sessions/principal.ts'
import { runRequest } from './run-request.ts'
import { McpSession } from '../sessions/session.ts'

/** A client of the HTTP+SSE transport: one stream for all messages to it. */
interface Channel {
  readonly principal: string
  readonly response: StreamedResponse
  /** Set by `initialize`. */
  session: McpSession | undefined
  /** Subscriptions that end with the stream. */
  readonly subscriptions: Subscription
}

/** Open streams of the HTTP+SSE transport. They exist in this process only. */
export class SseChannels implements Closable {
  readonly byId = new Map<string, Channel>()

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    for (const { response } of this.byId.values()) response.end()
    return Promise.resolve()
  }
}

/**
 * The endpoint for clients of 2024-11-05: a GET stream for messages to the client, and a POST address that the stream
 * announces.
 */
export class HttpSseEndpoint {
  readonly #options: SessionEndpointOptions & {
    readonly sessionEndpoint: SessionEndpoint
    readonly limitBytes: number
  }
  readonly #channels: SseChannels

  constructor(
    options: SessionEndpointOptions & {
      readonly sessionEndpoint: SessionEndpoint
      readonly limitBytes: number
    },
    channels: SseChannels,
  ) {
    this.#options = options
    this.#channels = channels
  }

  serve(x: Exchange): Observable<Exchange> {
    const { method } = x.request
    if (method === 'GET') return this.#open(x)
    return method === 'POST' ? this.#post(x) : withReply(x, methodNotAllowed('GET, POST'))
  }

  #open(x: Exchange): Observable<Exchange> {
    const wrong = checkGet(x.request.headers)
    if (wrong) return withReply(x, wrong)
    const { byId } = this.#channels
    if (byId.size >= CHANNELS_LIMIT)
      return withReply(
        x,
        refuseText(503, 'mcp_too_many_sessions', `more than ${CHANNELS_LIMIT} streams are open`),
      )
    return new Observable((out) => {
      const principal = principalOf(x)
      const id = this.#options.ids.makeStream(principal)
      const response = new StreamedResponse(x, out, {})
      const channel: Channel = {
        principal,
        response,
        session: undefined,
        subscriptions: new Subscription(),
      }
      byId.set(id, channel)
      out.add(() => {
        byId.delete(id)
        response.stop()
        channel.subscriptions.unsubscribe()
        channel.session?.close((name) => this.#options.federation.target(name)?.requestContext(x))
      })
      out.add(
        this.#options.streams.add(() => {
          response.end()
        }),
      )
      response.send(`${x.request.received.path}?sessionId=${id}`, 'endpoint')
    })
  }

  #post(x: Exchange): Observable<Exchange> {
    const id = new URLSearchParams(x.request.query).get('sessionId')
    if (id === null) return withReply(x, refuseText(422, 'mcp_session_missing', NO_SESSION_ID))
    const channel = this.#channels.byId.get(id)
    if (channel?.principal !== principalOf(x))
      return withReply(x, refuseText(404, 'mcp_session_unknown', 'session not found'))
    return readMessages(x, this.#options.limitBytes).pipe(
      mergeMap((parsed) => {
        if ('error' in parsed) return withReply(x, unreadable(parsed))
        recordRequest(x, parsed.messages)
        const { messages, batch } = parsed
        const { session } = channel
        if (batch && !allowsBatches(session?.revision ?? ''))
          return withReply(x, refuseText(400, 'mcp_unreadable', 'this revision has no batches'))
        for (const request of messages.filter(isRequest)) this.#begin(x, channel, request)
        const notifications = session ? messages.filter((message) => !isRequest(message)) : []
        const forwarding = from(notifications).pipe(
          concatMap((message) =>
            session ? forwardNotification(this.#options.federation, session, message, x) : EMPTY,
          ),
        )
        return concat(forwarding, withReply(x, respond(202, '')))
      }),
    )
  }

  /** The response goes through the stream, however long it takes. */
  #begin(x: Exchange, channel: Channel, request: JsonRpcRequest): void {
    const { response, subscriptions } = channel
    const { id } = request
    subscriptions.add(
      this.#respond(x, channel, request)
        .pipe(
          tap((message) => {
            response.send(isOutcome(message) ? encodeResponse(id, message) : encodeMessage(message))
          }),
          catchError((fault: unknown) => {
            if (!(fault instanceof Fault)) throw fault
            response.send(encodeResponse(id, { error: errorOf(fault) }))
            return EMPTY
          }),
        )
        .subscribe(),
    )
  }

  #respond(x: Exchange, channel: Channel, request: JsonRpcRequest): Observable<FromServer> {
    const { federation } = this.#options
    if (channel.session) return runRequest(federation, channel.session, request, x)
    const session = new McpSession(
      introductionOf(request.method === 'initialize' ? request.params : undefined, this.#options.offered),
      channel.principal,
      reconnect,
    )
    channel.session = session
    return initialize(session, federation.targets, x, this.#options).pipe(
      tap({
        next: () => {
          channel.subscriptions.add(this.#notifications(session, channel, x))
        },
        error: () => {
          channel.session = undefined
        },
      }),
    )
  }

  /** Messages that belong to no request go through the stream as well. */
  #notifications(session: McpSession, { response }: Channel, x: Exchange): Subscription {
    return this.#options.sessionEndpoint
      .stream(session, x)
      .pipe(
        map(encodeMessage),
        tap((json) => {
          response.send(json)
        }),
        ignoreElements(),
      )
      .subscribe()
  }
}

const CHANNELS_LIMIT = 10_000
const NO_SESSION_ID = 'failed to process session_id query parameter'
