import { map, mergeMap, Observable, throwError } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Headers } from '../../../../model/headers.ts'
import type { McpCollision } from '../../../../model/mcp-status.ts'
import type { JsonObject, Notification, Outcome, Request } from '../../../../protocols/json-rpc/message.ts'
import {
  invalidParams,
  type McpError,
  methodNotFoundInSession,
  unknownItem,
} from '../../../../protocols/mcp/errors.ts'
import { listOf, type Subject, subjectOf, subjectPlace } from '../../../../protocols/mcp/methods.ts'
import type { Names } from '../../../../protocols/mcp/names.ts'
import type { McpGuards } from '../../../mcp-guardrails.ts'
import { guarded } from '../../../mcp-guardrails/guarded.ts'
import { askPeer } from './ask-peer.ts'
import { factsAbout, factsOf, takeDownResult } from './facts.ts'
import { fanOut, type Forbearance } from './fan-out.ts'
import { McpLists } from './lists.ts'
import { McpRefusal } from '../answer/mcp-refusal.ts'
import type { MayUse } from './mcp-rules.ts'
import { noteStep } from '../note-step.ts'
import type { Owned, Owners } from './owners.ts'
import type { FromServer } from '../servers/peer.ts'
import { outcomeFor, type Question } from './question.ts'
import { Renaming } from './renaming.ts'
import type { Target } from '../servers/target.ts'
import { traced } from './trace-fields.ts'

/** Several servers that look like one. */
export interface FederationOptions extends Forbearance {
  readonly targets: readonly Target[]
  readonly names: Names
  readonly owners: Owners
  readonly mayUse: MayUse
  /** Whether rules may hide from one caller what they show to another. */
  readonly isRuled: boolean
  /** Told once of each name that several servers use, where names have no prefixes. */
  readonly collided?: ((collision: McpCollision) => void) | undefined
  /** Who looks at requests on their way to servers, and at what comes of them. */
  readonly guards?: McpGuards | undefined
}

/** Answers requests of clients out of what servers answer: one of them, or all. Knows nothing of sessions and revisions. */
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

  /** Whether a server may answer with an HTTP status that the client should see. */
  get hasStatuses(): boolean {
    return this.#options.targets.some(({ pipeline, isBound }) => pipeline !== undefined && !isBound)
  }

  /** Whether no server may have news for its clients: only one of streamable HTTP can say so. */
  get mayHaveNoNews(): boolean {
    return this.#options.targets.every(({ pipeline, isBound }) => pipeline !== undefined && !isBound)
  }

  target(name: string): Target | undefined {
    return this.#byName.get(name)
  }

  /** Something that a server said of its own accord, as the client hears it. */
  heard(target: string, message: Notification | Request): Notification | Request {
    if (!('id' in message)) this.#byName.get(target)?.memory.lists.changed(message.method)
    return this.renaming.toClient(target, message)
  }

  /** What a client wants to hear of, as far as it concerns one server and the client may know of it. */
  newsFrom({ name: target }: Target, x: Exchange, params: JsonObject | undefined): JsonObject {
    const wanted = this.renaming.wantedFrom(target, params)
    const { resourceSubscriptions: uris } = wanted
    if (!Array.isArray(uris)) return wanted
    const mayHear = (name: unknown): boolean =>
      typeof name === 'string' && this.#options.mayUse(x, { ...x.mcp, resource: { target, name } })
    return { ...wanted, resourceSubscriptions: uris.filter(mayHear) }
  }

  /** Asks one server what it is. */
  discover(question: Question, target: Target): Observable<FromServer> {
    return askPeer(question, target, { method: question.method, params: question.params })
  }

  /** Whose something is, as far as its name tells. */
  ownerOf(subject: Subject): Owned | undefined {
    return this.#options.owners.byName?.(subject)
  }

  /** What the servers say about a request: in the client's names, the outcome last. */
  answer(question: Omit<Question, 'said'>): Observable<FromServer> {
    return new Observable((out) => {
      const said = (target: string, message: Notification | Request): void => {
        if ('id' in message) noteStep(question.x, { step: 'input', target, asks: [message.method] })
        out.next(this.heard(target, message))
      }
      return this.#outcome({ ...question, said }).subscribe(out)
    })
  }

  #outcome(question: Question): Observable<Outcome> {
    const { x, method, params } = question
    const [only, second] = this.#options.targets
    x.mcp = { ...factsOf(question), ...(only && !second && { target: only.name }) }
    const list = listOf(method)
    if (list) x.mcp = { ...x.mcp, kind: list.kind }
    if (list)
      return this.#guarded(question, this.#options.targets, params, (params) =>
        this.#lists.answer({ ...question, params }, list),
      )
    const subject = subjectOf(method, params)
    if (subject === 'missing')
      return refuse(invalidParams(`${method} needs a text in ${subjectPlace(method)}`))
    if (subject) return this.#about(question, subject)
    if (only && !second) return this.#ask(question, only, method, params)
    if (method === 'logging/setLevel') return this.#tellAll(question)
    return refuse(methodNotFoundInSession(method))
  }

  /** A request about one thing goes to the server that has it. */
  #about(question: Question, subject: Subject): Observable<Outcome> {
    return this.#options.owners.find(question, subject).pipe(
      mergeMap((owned) => {
        if (!owned) return refuse(unknownItem(subject))
        const { x } = question
        const facts = factsAbout(question, subject, owned)
        const { kind, name } = subject
        if (x.probe) noteStep(x, { step: 'mapped', kind, name, target: owned.target.name, own: owned.name })
        x.mcp = facts
        if (!this.#options.mayUse(x, facts)) return refuse(unknownItem(subject))
        const params = this.renaming.paramsFor(subject, owned.name, question.params)
        return this.#ask(question, owned.target, question.method, params).pipe(takeDownResult(x, facts))
      }),
    )
  }

  /** Asks one server, and puts what comes of it into the client's terms. */
  #ask(question: Question, target: Target, method: string, params: Question['params']): Observable<Outcome> {
    return this.#guarded(question, [target], params, (params) =>
      this.#askOne(question, target, method, params),
    ).pipe(map((outcome) => this.renaming.outcome(target.name, method, outcome)))
  }

  /** Guards see what servers see: a request once, however many servers it goes to, in the servers' own terms. */
  #guarded(
    { x, method }: Question,
    targets: readonly Target[],
    params: Question['params'],
    ask: (params: Question['params']) => Observable<Outcome>,
  ): Observable<Outcome> {
    const servers = targets.map(({ name }) => name)
    return guarded(this.#options.guards, { x, method, params, servers }, ask)
  }

  #askOne(
    question: Question,
    target: Target,
    method: string,
    params: Question['params'],
  ): Observable<Outcome> {
    const { x, access } = question
    const mirrored = method === 'tools/call' ? paramFieldsIn(x.request.headers) : undefined
    const call = { method, params: traced(params, x.request.headers), mirrored, pausing: question.pausing }
    return askPeer({ access, x }, target, call).pipe(outcomeFor(question, target.name))
  }

  /** What concerns all servers and has no answer of its own. */
  #tellAll(question: Question): Observable<Outcome> {
    const { targets, failureMode } = this.#options
    return this.#guarded(question, targets, question.params, (params) =>
      fanOut(
        targets,
        { failureMode },
        (target) => this.#askOne(question, target, question.method, params),
        question.x,
      ).pipe(map((): Outcome => ({ result: {} }))),
    )
  }
}

const refuse = (refusal: McpError): Observable<never> =>
  throwError(() => new McpRefusal('mcp_refused', refusal))

/** Fields that mirror arguments: whatever the tool is called here, its arguments are the same there. */
const paramFieldsIn = ({ raw }: Headers): string[] | undefined => {
  let fields: string[] | undefined
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.startsWith('mcp-param-')) (fields ??= []).push(raw[i] as string, raw[i + 1] as string)
  return fields
}
