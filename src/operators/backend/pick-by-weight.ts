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

/** One backend of a route and its weight. */
export interface WeightedChoice {
  /** Not negative; 0 is never selected. */
  readonly weight: number
  readonly pipeline: Operator
  /** Used only while no backend of a lower number is available; 0 by default. */
  readonly priority?: number | undefined
  /** Hash of its name, for choices by key. */
  readonly seed?: number | undefined
  /** Whether it is available; undefined if that is not tracked: it always is. */
  readonly condition?: EndpointCondition | undefined
}

/** How one of several backends is selected. */
export interface PickOptions {
  /** Default: weighted round robin. */
  readonly balancer?: Balancer | undefined
  /** 0…1: while fewer than this share of the backends are available, all are used. */
  readonly panicThreshold?: number | undefined
}

/**
 * Continues with one of several backends, in proportion to their weights; replies 500 `no_valid_backends` if there is
 * none. Equal weights are plain round robin.
 *
 * Inside `retry` every attempt goes to a backend that has not been tried, if there is one. Where conditions are
 * tracked, unavailable backends are skipped, and if a connection fails the next one is tried at once: nothing of the
 * request has been sent by then, so it cannot be processed twice.
 */
export const pickByWeight = (choices: readonly WeightedChoice[], options: PickOptions = {}): Operator => {
  const possible = choices.filter(({ weight }) => weight > 0)
  const [first, ...others] = possible
  if (!first)
    return mergeMap((x) => {
      x.reply ??= deny(500, 'no_valid_backends', { message: 'no valid backends', reason: 'NoHealthyBackend' })
      return of(x)
    })
  // A single backend needs no selection: its stages follow directly.
  if (others.length === 0) return first.pipeline
  const pick = new Pick(possible, options)
  return mergeMap((x) => (x.reply ? of(x) : pick.begin(x)))
}

/** The backends of a route and their state. */
class Pick {
  readonly #members: readonly Member[]
  readonly #balancer: Balancer
  readonly #panicThreshold: number | undefined
  /** Whether active calls have to be counted. */
  readonly #counts: boolean
  readonly #hasConditions: boolean

  constructor(choices: readonly WeightedChoice[], { balancer, panicThreshold }: PickOptions) {
    this.#members = choices.map((choice) => new Member(choice))
    this.#balancer = balancer ?? new RoundRobin()
    this.#panicThreshold = panicThreshold
    this.#counts = balancer !== undefined
    this.#hasConditions = choices.some(({ condition }) => condition)
  }

  begin(x: Exchange): Observable<Exchange> {
    if (!this.#hasConditions) return this.#run(this.#next(x), x)
    const { request } = x
    // No copy is needed: until a byte is read, the body can be passed to the next backend.
    if (!isBuffered(request.body)) request.body = new SharedBody(request.body)
    return this.#untilConnected(x, new ReplayableRequest(request, undefined), request.body, 1)
  }

  #untilConnected(x: Exchange, request: ReplayableRequest, body: Body, calls: number): Observable<Exchange> {
    const member = this.#next(x)
    return this.#run(member, x).pipe(
      catchError((fault: unknown) => {
        const isUntouched = !x.reply && !x.downstream.committed && x.request.body === body
        if (calls === this.#members.length || !isUntouched || !isUnreachable(fault)) throw fault
        x.probe?.record({ type: 'policyEvent', kind: 'retry', details: `another backend: ${fault.code}` })
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
      // Without conditions the result does not depend on the time.
      now: this.#hasConditions ? performance.now() : 0,
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

/** Whether nothing of the request has been sent, whatever its method: no address, or no connection. */
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

/** The availability of a backend, and the number of active calls of this route to it. */
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
