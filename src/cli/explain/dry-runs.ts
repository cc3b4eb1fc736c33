import type { LoadedConfig } from '../../config/load.ts'
import type { Resources, Route } from '../../model/resources/resources.ts'
import { DryRun, type DryOutcome } from '../offline/dry-run.ts'
import type { DryRequest } from '../offline/dry-request.ts'
import type { Assumptions } from '../offline/undecided-policies.ts'

/** One backend of a route, by its position. */
export interface OnlyBackend {
  /** The key of the route. */
  readonly route: string
  readonly index: number
}

/**
 * Dry runs of one configuration: under different assumptions, and with single backends where a route has several.
 * Each is compiled once. At most {@link MAX_RUNS} are kept.
 */
export class DryRuns implements AsyncDisposable {
  readonly #loaded: LoadedConfig
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #claims: object | undefined
  readonly #runs = new Map<string, DryRun>()

  constructor(
    loaded: LoadedConfig,
    env: Readonly<Record<string, string | undefined>>,
    claims: object | undefined,
  ) {
    this.#loaded = loaded
    this.#env = env
    this.#claims = claims
  }

  /** Resources with merged policies. */
  get merged(): Resources {
    return this.#run({ claims: this.#claims }).merged
  }

  /**
   * Sends a request, under the assumption that its token is valid if the keys for it would have to be fetched.
   *
   * @param only The backend that is left of its route.
   */
  async send(
    bind: string,
    request: DryRequest,
    only?: OnlyBackend,
  ): Promise<{ readonly run: DryRun; readonly outcome: DryOutcome }> {
    const run = this.#run({ claims: this.#claims }, only)
    const outcome = await run.send(bind, request)
    if (outcome.kind !== 'exchange' || !outcome.callouts.includes('key set')) return { run, outcome }
    const assuming = this.#run({ claims: this.#claims, tokensAreValid: 'remoteKeys' }, only)
    return { run: assuming, outcome: await assuming.send(bind, request) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run[Symbol.asyncDispose]()))
    this.#runs.clear()
  }

  #run(assumptions: Assumptions, only?: OnlyBackend): DryRun {
    const key = JSON.stringify([assumptions.tokensAreValid, only])
    const known = this.#runs.get(key)
    if (known) return known
    const [oldest] = this.#runs.keys()
    if (oldest !== undefined && this.#runs.size >= MAX_RUNS) {
      void this.#runs.get(oldest)?.[Symbol.asyncDispose]()
      this.#runs.delete(oldest)
    }
    const made = new DryRun(this.#loaded, this.#env, assumptions, only && ((all) => narrowed(all, only)))
    this.#runs.set(key, made)
    return made
  }
}

/** Compiled configurations may be large. */
const MAX_RUNS = 32

/** Resources in which a route has one backend. */
const narrowed = (resources: Resources, { route, index }: OnlyBackend): Resources => {
  const narrow = (one: Route): Route => {
    const backend = one.backends[index]
    if (one.key !== route || !backend) return one
    return { ...one, backends: [{ weight: 1, target: backend.target, policies: backend.policies }] }
  }
  return {
    ...resources,
    binds: resources.binds.map((bind) => ({
      ...bind,
      listeners: bind.listeners.map((listener) => ({ ...listener, routes: listener.routes.map(narrow) })),
    })),
    routeGroups: resources.routeGroups.map((group) => ({ ...group, routes: group.routes.map(narrow) })),
  }
}
