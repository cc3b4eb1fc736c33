import { map, mergeMap, Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Headers } from '../../../model/exchange/headers.ts'
import type {
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import {
  invalidParams,
  type McpError,
  methodNotFoundInSession,
  unknownItem,
} from '../../../protocols/mcp/errors.ts'
import { listMethodOf, type Subject, subjectOf, subjectMember } from '../../../protocols/mcp/methods.ts'
import type { McpGuards } from '../guardrails/mcp-guardrails.ts'
import { runProcessors } from '../guardrails/run-processors.ts'
import { callServer } from './call-server.ts'
import { mcpAttributesAbout, mcpAttributesOf, recordResult } from './attributes.ts'
import { fanOut } from './fan-out.ts'
import { McpLists, type McpListsOptions } from './merged-lists.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'
import { traceStep } from '../trace-step.ts'
import type { TargetLookup } from './target-lookup.ts'
import type { FromServer } from '../servers/server-client.ts'
import { outcomeFor, type McpClientRequest, type ResolvedItem } from './client-request.ts'
import { Renaming } from './renaming.ts'
import type { Target } from '../servers/target.ts'
import { traced } from './trace-context.ts'

/** Parts of a federation. */
export interface FederationOptions extends McpListsOptions {
  readonly lookup: TargetLookup
  /** Services that inspect requests and their results. */
  readonly guards?: McpGuards | undefined
}

/** Handles requests of clients with results of one server or all. Independent of sessions and revisions. */
export class Federation {
  readonly #options: FederationOptions
  readonly #byName: ReadonlyMap<string, Target>
  readonly #lists: McpLists
  readonly renaming: Renaming

  constructor(options: FederationOptions) {
    this.#options = options
    this.#byName = new Map(options.targets.map((target) => [target.name, target]))
    this.renaming = new Renaming(options.names)
    this.#lists = new McpLists(options, this.renaming)
  }

  get targets(): readonly Target[] {
    return this.#options.targets
  }

  /** Whether a server may send an HTTP status that the client should see. */
  get hasStatuses(): boolean {
    return this.#options.targets.some(({ pipeline, isBound }) => pipeline !== undefined && !isBound)
  }

  /** Whether possibly no server has notifications: only streamable HTTP servers can report that. */
  get mayLackNotifications(): boolean {
    return this.#options.targets.every(({ pipeline, isBound }) => pipeline !== undefined && !isBound)
  }

  target(name: string): Target | undefined {
    return this.#byName.get(name)
  }

  /** A server's own message, in the client's names. */
  toClient(target: string, message: Notification | JsonRpcRequest): Notification | JsonRpcRequest {
    if (!('id' in message)) this.#byName.get(target)?.state.lists.changed(message.method)
    return this.renaming.toClient(target, message)
  }

  /** The subscriptions of a client that concern one server, as far as the client is authorized. */
  subscriptionsFor({ name: target }: Target, x: Exchange, params: JsonObject | undefined): JsonObject {
    const notifications = this.renaming.subscriptionsFor(target, params)
    const { resourceSubscriptions: uris } = notifications
    if (!Array.isArray(uris)) return notifications
    const mayRead = (name: unknown): boolean =>
      typeof name === 'string' && this.#options.mayUse(x, { ...x.protocol.mcp, resource: { target, name } })
    return { ...notifications, resourceSubscriptions: uris.filter(mayRead) }
  }

  /** Sends `server/discover` to one server. */
  discover(request: McpClientRequest, target: Target): Observable<FromServer> {
    return callServer(request, target, { method: request.method, params: request.params })
  }

  /** The item of this name, if the name alone identifies its server. */
  ownerOf(subject: Subject): ResolvedItem | undefined {
    return this.#options.lookup.byName?.(subject)
  }

  /** The messages of servers about a request, in the client's names; the outcome comes last. */
  handle(request: Omit<McpClientRequest, 'onMessage'>): Observable<FromServer> {
    return new Observable((out) => {
      const onMessage = (target: string, message: Notification | JsonRpcRequest): void => {
        if ('id' in message) traceStep(request.x, { step: 'input', target, asks: [message.method] })
        out.next(this.toClient(target, message))
      }
      return this.#outcome({ ...request, onMessage }).subscribe(out)
    })
  }

  #outcome(request: McpClientRequest): Observable<Outcome> {
    const { x, method, params } = request
    const [only, second] = this.#options.targets
    x.protocol.mcp = { ...mcpAttributesOf(request), ...(only && !second && { target: only.name }) }
    const list = listMethodOf(method)
    if (list) x.protocol.mcp = { ...x.protocol.mcp, kind: list.kind }
    if (list)
      return this.#guarded(request, this.#options.targets, params, (params) =>
        this.#lists.list({ ...request, params }, list),
      )
    const subject = subjectOf(method, params)
    if (subject === 'missing')
      return refuse(invalidParams(`${method} needs a text in ${subjectMember(method)}`))
    if (subject) return this.#about(request, subject)
    if (only && !second) return this.#callTarget(request, only, method, params)
    if (method === 'logging/setLevel') return this.#broadcast(request)
    return refuse(methodNotFoundInSession(method))
  }

  /** A request with a subject goes to the server that has it. */
  #about(request: McpClientRequest, subject: Subject): Observable<Outcome> {
    return this.#options.lookup.find(request, subject).pipe(
      mergeMap((resolved) => {
        if (!resolved) return refuse(unknownItem(subject))
        const { x } = request
        const attributes = mcpAttributesAbout(request, subject, resolved)
        const { kind, name } = subject
        if (x.probe)
          traceStep(x, { step: 'mapped', kind, name, target: resolved.target.name, own: resolved.name })
        x.protocol.mcp = attributes
        if (!this.#options.mayUse(x, attributes)) return refuse(unknownItem(subject))
        const params = this.renaming.paramsFor(subject, resolved.name, request.params)
        return this.#callTarget(request, resolved.target, request.method, params).pipe(
          recordResult(x, attributes),
        )
      }),
    )
  }

  /** Calls one server, and puts the outcome into the client's names. */
  #callTarget(
    request: McpClientRequest,
    target: Target,
    method: string,
    params: McpClientRequest['params'],
  ): Observable<Outcome> {
    return this.#guarded(request, [target], params, (params) =>
      this.#callServer(request, target, method, params),
    ).pipe(map((outcome) => this.renaming.outcome(target.name, method, outcome)))
  }

  /**
   * Guardrails inspect what servers get: a request once, however many servers it goes to, in the servers' own names.
   */
  #guarded(
    { x, method }: McpClientRequest,
    targets: readonly Target[],
    params: McpClientRequest['params'],
    call: (params: McpClientRequest['params']) => Observable<Outcome>,
  ): Observable<Outcome> {
    const servers = targets.map(({ name }) => name)
    return runProcessors(this.#options.guards, { x, method, params, servers }, call)
  }

  #callServer(
    request: McpClientRequest,
    target: Target,
    method: string,
    params: McpClientRequest['params'],
  ): Observable<Outcome> {
    const { x, access } = request
    const mirrored = method === 'tools/call' ? paramFieldsIn(x.request.headers) : undefined
    const call = { method, params: traced(params, x.request.headers), mirrored, pausing: request.pausing }
    return callServer({ access, x }, target, call).pipe(outcomeFor(request, target.name))
  }

  /** A request that goes to all servers and has an empty result. */
  #broadcast(request: McpClientRequest): Observable<Outcome> {
    const { targets, failureMode } = this.#options
    return this.#guarded(request, targets, request.params, (params) =>
      fanOut(
        targets,
        { failureMode },
        (target) => this.#callServer(request, target, request.method, params),
        request.x,
      ).pipe(map((): Outcome => ({ result: {} }))),
    )
  }
}

const refuse = (refusal: McpError): Observable<never> =>
  throwError(() => new McpRefusal('mcp_refused', refusal))

/** Headers that mirror arguments; renaming tools does not change them. */
const paramFieldsIn = ({ raw }: Headers): string[] | undefined => {
  let fields: string[] | undefined
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.startsWith('mcp-param-')) (fields ??= []).push(raw[i] as string, raw[i + 1] as string)
  return fields
}
