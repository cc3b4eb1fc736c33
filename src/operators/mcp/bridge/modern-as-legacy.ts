import {
  BehaviorSubject,
  catchError,
  concat,
  EMPTY,
  mergeMap,
  type Observable,
  of,
  switchMap,
  throwError,
} from 'rxjs'
import { INVALID_PARAMS } from '../../../protocols/json-rpc/error-codes.ts'
import { HEADER_MISMATCH, RESOURCE_NOT_FOUND } from '../../../protocols/mcp/errors.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import { inputRequestsOf, isInputRequired, requestStateOf } from '../../../protocols/mcp/input-required.ts'
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  withMeta,
} from '../../../protocols/mcp/meta.ts'
import { newestModern } from '../../../protocols/mcp/revisions.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import type { RequestContext, McpCall } from '../../../upstream/mcp/transport.ts'
import { jsonRpcErrorIn } from '../response/json-rpc-error.ts'
import type { Introduction } from '../servers/handshake.ts'
import { InputResponses, InputRounds } from './input-required.ts'
import { tooManyRounds, unreadableInput } from './input-faults.ts'
import { modernNotifications } from './modern-notifications.ts'
import {
  type About,
  type FromServer,
  isOutcome,
  modernCallThrough,
  type ServerClient,
} from '../servers/server-client.ts'
import type { Target } from '../servers/target.ts'

/**
 * A server without sessions, for a client with one: the client's initialize parameters go with each request, the
 * server's input requests reach the client as requests, and subscriptions become one that is reopened whenever they
 * change.
 */
export class ModernAsLegacy implements ServerClient {
  readonly target: string
  readonly about: About | undefined
  readonly revision = newestModern
  /** The session exists between client and gateway only. */
  readonly sessionId = undefined
  readonly #target: Target
  readonly #who: Introduction
  readonly #rounds = new InputRounds()
  readonly #subscribed = new BehaviorSubject<readonly string[]>([])
  #logLevel: string | undefined = undefined

  constructor(target: Target, who: Introduction, discovered: JsonObject | undefined) {
    this.target = target.name
    this.#target = target
    this.#who = who
    this.about = discovered && aboutOf(target.name, who.protocolVersion, discovered)
  }

  call(call: McpCall, context: RequestContext): Observable<FromServer> {
    const { method, params } = call
    const uri = String(params?.uri)
    const others = this.#subscribed.value.filter((one) => one !== uri)
    switch (method) {
      case 'ping':
        return done
      case 'logging/setLevel':
        this.#logLevel = String(params?.level)
        return done
      case 'resources/subscribe':
        this.#subscribed.next([...others, uri])
        return done
      case 'resources/unsubscribe':
        this.#subscribed.next(others)
        return done
      default:
        return this.#round(method, params, context, 1)
    }
  }

  /**
   * Notifications of the older revisions have no counterpart: their content goes with each request, or with its end.
   */
  notify(): Promise<void> {
    return Promise.resolve()
  }

  respond(id: Id, outcome: Outcome): Promise<void> {
    this.#rounds.resolve(id, outcome)
    return Promise.resolve()
  }

  listen(context: RequestContext): Observable<Notification | JsonRpcRequest> {
    return this.#subscribed.pipe(
      switchMap((uris) =>
        modernNotifications(
          () =>
            this.#send(
              'subscriptions/listen',
              { notifications: subscriptionsFor(uris, this.about) },
              context,
            ),
          Object.keys(this.about?.capabilities ?? {}),
        ),
      ),
    )
  }

  close(): void {
    this.#subscribed.complete()
  }

  #round(
    method: string,
    params: JsonObject | undefined,
    context: RequestContext,
    count: number,
  ): Observable<FromServer> {
    if (count > ROUNDS_LIMIT) return throwError(() => tooManyRounds(this.target, ROUNDS_LIMIT))
    return this.#mirrored(method, params, context).pipe(
      mergeMap((message): Observable<FromServer> => {
        if (!isOutcome(message)) return of(message)
        if ('error' in message || !isInputRequired(message.result)) return of(plain(message, method))
        const { result } = message
        const inputs = inputRequestsOf(result)
        if (!inputs) return throwError(() => unreadableInput(this.target))
        return this.#rounds.request(inputs).pipe(
          mergeMap((emitted): Observable<FromServer> => {
            if (!(emitted instanceof InputResponses)) return of(emitted)
            const { requestState: _, inputResponses: __, ...original } = params ?? {}
            const requestState = requestStateOf(result)
            const retried = {
              ...original,
              ...(inputs.size > 0 && { inputResponses: emitted.byName }),
              ...(requestState !== undefined && { requestState }),
            }
            return this.#round(method, retried, context, count + 1)
          }),
        )
      }),
    )
  }

  /**
   * Sends a request. If the server reports missing headers, whose definitions are in the list of tools, fetches the
   * list and retries.
   */
  #mirrored(method: string, params: JsonObject | undefined, context: RequestContext): Observable<FromServer> {
    const { fields } = this.#target.state
    const response = this.#send(method, params, context)
    if (method !== 'tools/call' || fields.has(params)) return response
    return response.pipe(
      catchError((fault: unknown) => {
        const error = fault instanceof ServerRefused ? jsonRpcErrorIn(fault) : undefined
        if (error?.code !== HEADER_MISMATCH) return throwError(() => fault)
        const learned = this.#send('tools/list', undefined, context).pipe(
          mergeMap((message) => {
            if (isOutcome(message) && 'result' in message && Array.isArray(message.result.tools))
              fields.learn(message.result.tools as JsonObject[])
            return EMPTY
          }),
        )
        return concat(learned, this.#send(method, params, context))
      }),
    )
  }

  #send(method: string, params: JsonObject | undefined, context: RequestContext): Observable<FromServer> {
    const { capabilities, clientInfo } = this.#who
    const meta = {
      [PROTOCOL_VERSION_KEY]: newestModern,
      [CLIENT_INFO_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_KEY]: capabilities,
      ...(this.#logLevel !== undefined && { [LOG_LEVEL_KEY]: this.#logLevel }),
    }
    const { state } = this.#target
    const mirrored = state.fields.mirrored(method, params)
    const call = { method, params: withMeta(params, meta), ...(mirrored && { mirrored }) }
    return modernCallThrough(this.target, state.sharedTransport(this.#target), call, context)
  }
}

/** Bounds the input rounds of one request. */
const ROUNDS_LIMIT = 16

const done: Observable<FromServer> = of({ result: {} })

const aboutOf = (target: string, revision: string, discovered: JsonObject): About => {
  const capabilities = jsonObjectOr(discovered.capabilities)
  const serverInfo = jsonObjectOr(jsonObjectOr(discovered._meta)[SERVER_INFO_KEY])
  const { instructions } = discovered
  return {
    capabilities,
    result: {
      protocolVersion: revision,
      capabilities: { ...capabilities, logging: {} },
      serverInfo: { name: target, version: '0', ...serverInfo },
      ...(typeof instructions === 'string' && { instructions }),
    },
  }
}

/** All notifications that a client with a session gets without subscribing. */
const subscriptionsFor = (uris: readonly string[], about: About | undefined): JsonObject => {
  const has = (kind: string): boolean => !about || kind in about.capabilities
  return {
    ...(has('tools') && { toolsListChanged: true }),
    ...(has('prompts') && { promptsListChanged: true }),
    ...(has('resources') && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

/** The outcome without the members that only newer revisions have. */
const plain = (outcome: Outcome, method: string): Outcome => {
  if ('error' in outcome) {
    const { error } = outcome
    const isMissing =
      error.code === INVALID_PARAMS && method === 'resources/read' && 'uri' in jsonObjectOr(error.data)
    return isMissing ? { error: { ...error, code: RESOURCE_NOT_FOUND } } : outcome
  }
  if (outcome.result.resultType === undefined) return outcome
  const { resultType: _, ...result } = outcome.result
  return { result }
}
