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
import { INVALID_PARAMS } from '../../../../protocols/json-rpc/error-codes.ts'
import { HEADER_MISMATCH, RESOURCE_NOT_FOUND } from '../../../../protocols/mcp/errors.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type {
  Id,
  JsonObject,
  Notification,
  Outcome,
  Request,
} from '../../../../protocols/json-rpc/message.ts'
import { inputRequestsOf, isInputRequired, requestStateOf } from '../../../../protocols/mcp/input-required.ts'
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  withMeta,
} from '../../../../protocols/mcp/meta.ts'
import { newestModern } from '../../../../protocols/mcp/revisions.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import type { Behalf, Call } from '../../../../upstream/mcp/wire.ts'
import { jsonRpcErrorIn } from '../answer/fault-answer.ts'
import type { Introduction } from '../servers/handshake.ts'
import { Answers, InputRounds } from './input-rounds.ts'
import { tooManyRounds, unreadableInput } from './input-faults.ts'
import { modernNews } from './modern-news.ts'
import { type About, type FromServer, isOutcome, modernCallOver, type Peer } from '../servers/peer.ts'
import type { Target } from '../servers/target.ts'

/**
 * A server without sessions, for a client with one: what the client said once is said with each request, what the server
 * wants to know comes to the client as a request, and subscriptions become one that is opened anew whenever they change.
 */
export class ModernAsLegacy implements Peer {
  readonly target: string
  readonly about: About | undefined
  readonly revision = newestModern
  /** Whatever there is to a session is in the client's own. */
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

  call(call: Call, behalf: Behalf): Observable<FromServer> {
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
        return this.#round(method, params, behalf, 1)
    }
  }

  /** What notifications say in the older revisions is said by each request here, or by its end. */
  notify(): Promise<void> {
    return Promise.resolve()
  }

  answer(id: Id, outcome: Outcome): Promise<void> {
    this.#rounds.answer(id, outcome)
    return Promise.resolve()
  }

  listen(behalf: Behalf): Observable<Notification | Request> {
    return this.#subscribed.pipe(
      switchMap((uris) =>
        modernNews(
          () => this.#send('subscriptions/listen', { notifications: newsFor(uris, this.about) }, behalf),
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
    behalf: Behalf,
    count: number,
  ): Observable<FromServer> {
    if (count > ROUNDS_LIMIT) return throwError(() => tooManyRounds(this.target, ROUNDS_LIMIT))
    return this.#mirrored(method, params, behalf).pipe(
      mergeMap((message): Observable<FromServer> => {
        if (!isOutcome(message)) return of(message)
        if ('error' in message || !isInputRequired(message.result)) return of(plain(message, method))
        const { result } = message
        const inputs = inputRequestsOf(result)
        if (!inputs) return throwError(() => unreadableInput(this.target))
        return this.#rounds.ask(inputs).pipe(
          mergeMap((said): Observable<FromServer> => {
            if (!(said instanceof Answers)) return of(said)
            const { requestState: _, inputResponses: __, ...asked } = params ?? {}
            const requestState = requestStateOf(result)
            const again = {
              ...asked,
              ...(inputs.size > 0 && { inputResponses: said.byName }),
              ...(requestState !== undefined && { requestState }),
            }
            return this.#round(method, again, behalf, count + 1)
          }),
        )
      }),
    )
  }

  /** Sends a request; if it turns out that fields are missing that only the list of tools tells of, that is asked for. */
  #mirrored(method: string, params: JsonObject | undefined, behalf: Behalf): Observable<FromServer> {
    const { fields } = this.#target.memory
    const ask = this.#send(method, params, behalf)
    if (method !== 'tools/call' || fields.knows(params)) return ask
    return ask.pipe(
      catchError((fault: unknown) => {
        const error = fault instanceof ServerRefused ? jsonRpcErrorIn(fault) : undefined
        if (error?.code !== HEADER_MISMATCH) return throwError(() => fault)
        const learned = this.#send('tools/list', undefined, behalf).pipe(
          mergeMap((message) => {
            if (isOutcome(message) && 'result' in message && Array.isArray(message.result.tools))
              fields.learn(message.result.tools as JsonObject[])
            return EMPTY
          }),
        )
        return concat(learned, this.#send(method, params, behalf))
      }),
    )
  }

  #send(method: string, params: JsonObject | undefined, behalf: Behalf): Observable<FromServer> {
    const { capabilities, clientInfo } = this.#who
    const meta = {
      [PROTOCOL_VERSION_KEY]: newestModern,
      [CLIENT_INFO_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_KEY]: capabilities,
      ...(this.#logLevel !== undefined && { [LOG_LEVEL_KEY]: this.#logLevel }),
    }
    const { memory } = this.#target
    const mirrored = memory.fields.mirrored(method, params)
    const call = { method, params: withMeta(params, meta), ...(mirrored && { mirrored }) }
    return modernCallOver(this.target, memory.sharedWire(this.#target), call, behalf)
  }
}

/** A server that goes on asking would keep the client busy for ever. */
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

/** Everything that a client with a session is told without asking for it. */
const newsFor = (uris: readonly string[], about: About | undefined): JsonObject => {
  const has = (kind: string): boolean => !about || kind in about.capabilities
  return {
    ...(has('tools') && { toolsListChanged: true }),
    ...(has('prompts') && { promptsListChanged: true }),
    ...(has('resources') && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

/** How a call ended, without what only the newer revisions have. */
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
