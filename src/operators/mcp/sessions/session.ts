import { randomBytes } from 'node:crypto'
import {
  defer,
  filter,
  finalize,
  merge,
  type Observable,
  of,
  ReplaySubject,
  share,
  Subject,
  takeUntil,
  tap,
} from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Request } from '../../../model/exchange/request.ts'
import { callKey } from '../response/event-id.ts'
import type { ResumableCalls } from '../response/resumable-call.ts'
import type { Introduction } from '../servers/handshake.ts'
import type { ServerClient } from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'
import type { Access } from './server-access.ts'
import { traceStep } from '../trace-step.ts'
import type { Id, Notification, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import { sessionDigest } from '../../../protocols/mcp/session-digest.ts'
import type { RequestContext } from '../../../upstream/mcp/transport.ts'
import { type McpSessionStatus } from '../../../upstream/mcp/status-registry.ts'

/** The part of a client's last request that is needed to act for it later. It refers to no configuration. */
export type LastActivity = Pick<Exchange, 'identity' | 'labels'> & Pick<Request, 'headers' | 'connection'>

/** Records the session of a request, and how it was found. */
export const recordSession = (
  x: Exchange,
  how: 'begun' | 'found' | 'restored' | 'passing' | 'ended',
  { id, revision }: McpSession,
): void => {
  if (id) x.protocol.mcp = { ...x.protocol.mcp, sessionId: id }
  if (!x.probe) return
  traceStep(x, { step: 'session', how, session: id ? sessionDigest(id) : null, revision })
}

/** Connects a session to a server for the first time, or again. */
export type ConnectServer = (target: Target, who: Introduction, x: Exchange) => Observable<ServerClient>

/**
 * One client's session, in revisions that have sessions: the connected servers, the running requests, and the stream of
 * messages that belong to none of them.
 */
export class McpSession implements Access {
  /** The session id; empty for a session of a single request. */
  id = ''
  readonly who: Introduction
  /** The principal that may use it. */
  readonly principal: string
  /** The protocol revision in the result of `initialize`. */
  revision = ''
  /** `performance.now()` of its start in this process. */
  readonly startedAtMs = performance.now()
  /** `performance.now()` of the client's last request. */
  usedAtMs = performance.now()
  readonly canSendRequests: boolean
  /** The identity with which sessions at servers end after the idle timeout. */
  lastActivity: LastActivity | undefined = undefined
  /** Resumable responses. */
  readonly resumable: ResumableCalls = new Map()
  /** Keeps call keys of different replicas apart. */
  readonly #callPrefix = randomBytes(6).toString('base64url')
  #lastCall = 0
  #isLost = false
  readonly #connect: ConnectServer
  readonly #connecting = new Map<string, Observable<ServerClient>>()
  readonly #left = new Subject<ServerClient>()
  readonly #servers = new Map<string, ServerClient>()
  readonly #running = new Map<Id, () => void>()
  readonly #nextStream = new Subject<void>()
  #isClosed = false

  /** @param canSendRequests Whether servers can send requests to the client and get its responses. */
  constructor(who: Introduction, principal: string, connect: ConnectServer, canSendRequests = true) {
    this.canSendRequests = canSendRequests
    this.who = who
    this.principal = principal
    this.#connect = connect
  }

  get servers(): Iterable<ServerClient> {
    return this.#servers.values()
  }

  has(target: string): boolean {
    return this.#servers.has(target)
  }

  known(target: string): ServerClient | undefined {
    return this.#servers.get(target)
  }

  connect(target: Target, x: Exchange): Observable<ServerClient> {
    return defer(() => {
      const known = this.#servers.get(target.name)
      if (known?.isOver) this.discard(known)
      else if (known) return of(known)
      return this.#connecting.get(target.name) ?? this.#connection(target, x)
    })
  }

  /** Concurrent requests share a connection attempt. */
  #connection(target: Target, x: Exchange): Observable<ServerClient> {
    const connection = this.#connect(target, this.who, x).pipe(
      tap((server) => {
        this.adopt(server)
      }),
      finalize(() => {
        this.#connecting.delete(target.name)
      }),
      share({ connector: () => new ReplaySubject(1) }),
    )
    this.#connecting.set(target.name, connection)
    return connection
  }

  /** A server is connected. */
  adopt(server: ServerClient): void {
    if (this.#isClosed) server.close(undefined)
    else this.#servers.set(server.target, server)
  }

  /** The server lost the session, or is gone: the next request connects again. */
  discard(server: ServerClient): void {
    if (this.#servers.get(server.target) !== server) return
    this.#servers.delete(server.target)
    // It began on another replica, and all servers have dropped it: it was ended there.
    this.#isLost ||= isResumed(server) && this.#servers.size === 0
    this.#left.next(server)
  }

  /** Emits when this connection to a server is discarded. */
  onLeft(server: ServerClient): Observable<ServerClient> {
    return this.#left.pipe(filter((one) => one === server))
  }

  /** No server has the session, and it did not begin here. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Resets the idle timeout. */
  touch(): void {
    this.usedAtMs = performance.now()
  }

  /** A unique key for a call of the session, with the owner of its response. */
  nextCallKey(id: Id, ownerToken?: string): string {
    return callKey(`${this.#callPrefix}-${++this.#lastCall}`, id, ownerToken)
  }

  /** @returns False if a request with this id is under way already. */
  begin(id: Id, cancel: () => void): boolean {
    if (this.#running.has(id)) return false
    this.#running.set(id, cancel)
    return true
  }

  end(id: Id): void {
    this.#running.delete(id)
    this.touch()
  }

  /** The client cancelled the request. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.()
  }

  /** Its status, for reports. */
  get status(): McpSessionStatus {
    return {
      session: sessionDigest(this.id),
      transport: 'streamable',
      revision: this.revision,
      startedAt: this.startedAtMs,
      usedAt: this.usedAtMs,
      running: this.#running.size,
      isListening: this.isListening,
      servers: [...this.#servers.keys()],
    }
  }

  /** Whether a request is running. A stream alone does not count. */
  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** Whether the stream of messages that belong to no request is open. */
  get isListening(): boolean {
    return this.#nextStream.observed
  }

  /** Messages that belong to no request. A session has one such stream; a new one ends the previous. */
  stream(
    notifications: readonly Observable<Notification | JsonRpcRequest>[],
  ): Observable<Notification | JsonRpcRequest> {
    this.#nextStream.next()
    return merge(...notifications).pipe(takeUntil(this.#nextStream))
  }

  /** Ends the session and its sessions with servers; `onResponse` gets the status of their responses. */
  close(
    contextOf?: (target: string) => RequestContext | undefined,
    onResponse?: (status: number | undefined) => void,
  ): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#nextStream.next()
    for (const cancel of this.#running.values()) cancel()
    for (const call of this.resumable.values()) call.cancel()
    for (const server of this.#servers.values()) server.close(contextOf?.(server.target), onResponse)
    this.#servers.clear()
  }
}

/** A session with a server that began in another process, known by the server's id. */
export const isResumed = ({ about, sessionId }: ServerClient): boolean =>
  about === undefined && sessionId !== undefined
