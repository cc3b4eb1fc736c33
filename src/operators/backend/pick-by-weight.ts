import { catchError, finalize, mergeMap, type Observable, of } from 'rxjs'
import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { deny } from '../../model/exchange/reply.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { chooseEndpoint } from '../../upstream/load-balancing/choose-endpoint.ts'
import { type Balancer, RoundRobin } from '../../upstream/load-balancing/balancer.ts'
import type { Choice, EndpointCondition } from '../../upstream/load-balancing/choice.ts'
import { SharedBody } from '../../upstream/http/shared-body.ts'
import { isBuffered } from '../body/buffer-body.ts'
import { ReplayableRequest } from '../body/replayable-request.ts'

/** One backend of a route, and its share. */
export interface WeightedChoice {
  /** Not negative; 0 is never picked. */
  readonly weight: number
  readonly pipeline: Operator
  /** Used as long as nobody of a lower number can be; 0 by default. */
  readonly priority?: number | undefined
  /** Hash of its name, for choices by key. */
  readonly seed?: number | undefined
  /** Whether it can be used; undefined if nobody looks after that: it always can. */
  readonly condition?: EndpointCondition | undefined
}

/** How one of several backends is chosen. */
export interface PickOptions {
  /** Each in its turn by weight, if there is none. */
  readonly balancer?: Balancer | undefined
  /** 0…1: while fewer than this share of the backends can be used, all are. */
  readonly panicThreshold?: number | undefined
}

/**
 * Continues with one of several backends, each as often as its weight says; answers 500 `no_valid_backends` if there is
 * none to pick. Equal weights are plain turns.
 *
 * Inside `retry` every attempt goes to a backend that has not been tried, as long as there is one. Where conditions are
 * known, backends that are out of service are passed over, and where one cannot be connected to the next one is tried at
 * once: nothing of the request has been sent by then, so nothing can happen twice.
 */
export const pickByWeight = (choices: readonly WeightedChoice[], options: PickOptions = {}): Operator => {
  const possible = choices.filter(({ weight }) => weight > 0)
  const [first, ...others] = possible
  if (!first)
    return mergeMap((x) => {
      x.reply ??= deny(500, 'no_valid_backends', { message: 'no valid backends', reason: 'NoHealthyBackend' })
      return of(x)
    })
  // One backend is no choice: its stages follow without a layer between.
  if (others.length === 0) return first.pipeline
  const pick = new Pick(possible, options)
  return mergeMap((x) => (x.reply ? of(x) : pick.begin(x)))
}

/** The choices of a route, and what is known of them. */
class Pick {
  readonly #members: readonly Member[]
  readonly #balancer: Balancer
  readonly #panicThreshold: number | undefined
  /** Whether it matters how many calls are under way. */
  readonly #counts: boolean
  readonly #goesOn: boolean

  constructor(choices: readonly WeightedChoice[], { balancer, panicThreshold }: PickOptions) {
    this.#members = choices.map((choice) => new Member(choice))
    this.#balancer = balancer ?? new RoundRobin()
    this.#panicThreshold = panicThreshold
    this.#counts = balancer !== undefined
    this.#goesOn = choices.some(({ condition }) => condition)
  }

  begin(x: Exchange): Observable<Exchange> {
    if (!this.#goesOn) return this.#run(this.#next(x), x)
    const { request } = x
    // No copy is kept: as long as nobody has read of it, it can be handed on as it is.
    if (!isBuffered(request.body)) request.body = new SharedBody(request.body)
    return this.#untilConnected(x, new ReplayableRequest(request, undefined), request.body, 1)
  }

  #untilConnected(x: Exchange, request: ReplayableRequest, body: Body, calls: number): Observable<Exchange> {
    const member = this.#next(x)
    return this.#run(member, x).pipe(
      catchError((fault: unknown) => {
        const isUntouched = !x.reply && !x.downstream.committed && x.request.body === body
        if (calls === this.#members.length || !isUntouched || !isUnreachable(fault)) throw fault
        x.probe?.note({ type: 'policyEvent', kind: 'retry', details: `another backend: ${fault.code}` })
        request.restore(x)
        return this.#untilConnected(x, request, body, calls + 1)
      }),
    )
  }

  #next(x: Exchange): Member {
    const member = chooseEndpoint(this.#members, {
      balancer: this.#balancer,
      panicThreshold: this.#panicThreshold,
      tried: x.upstream.tried,
      // Without conditions nothing depends on the time.
      now: this.#goesOn ? performance.now() : 0,
      x,
    }) as Member
    x.upstream.tried = x.upstream.tried ? [...x.upstream.tried, member] : [member]
    return member
  }

  #run({ pipeline, health }: Member, x: Exchange): Observable<Exchange> {
    if (!this.#counts) return pipeline(of(x))
    health.pending++
    return pipeline(of(x)).pipe(finalize(() => health.pending--))
  }
}

/** Nothing of the request has been sent, whatever its method: no address, or no connection. */
const isUnreachable = (fault: unknown): fault is Fault =>
  fault instanceof Fault && unreachable.has(fault.code)

const unreachable: ReadonlySet<string> = new Set(['upstream_connect', 'upstream_dns', 'no_endpoint'])

class Member implements Choice {
  readonly weight: number
  readonly priority: number
  readonly seed: number
  readonly pipeline: Operator
  readonly health: MemberCondition

  constructor({ weight, priority = 0, seed = 0, pipeline, condition }: WeightedChoice) {
    this.weight = weight
    this.priority = priority
    this.seed = seed
    this.pipeline = pipeline
    this.health = new MemberCondition(condition)
  }
}

/** How it stands with a backend, and how many calls of this route are under way there. */
class MemberCondition implements EndpointCondition {
  pending = 0
  readonly #condition: EndpointCondition | undefined

  constructor(condition: EndpointCondition | undefined) {
    this.#condition = condition
  }

  isEvicted(now: number): boolean {
    return this.#condition?.isEvicted(now) ?? false
  }

  score(now: number): number {
    return this.#condition?.score(now) ?? 1
  }

  strength(now: number): number {
    return this.#condition?.strength(now) ?? 1
  }
}
