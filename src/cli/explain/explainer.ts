import type { LoadedConfig } from '../../config/load.ts'
import { matchedBy } from '../../operators/route/not-selected.ts'
import { handDown } from '../../config/compile/routes/handed-down.ts'
import type { PolicyOrigins } from '../../config/policy-origins.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { Bind, Listener, Resources, Route } from '../../model/resources/resources.ts'
import { Redaction } from '../../model/trace/redact.ts'
import type { DryExchange, DryOutcome, DryRun } from '../offline/dry-run.ts'
import type { DryRequest } from '../offline/dry-request.ts'
import { backendChoices, backendLabel } from './backend-choices.ts'
import { DryRuns } from './dry-runs.ts'
import type { ExplainedPolicy, Explanation, NotChosen, Undecided, RequestVerdict } from './explanation.ts'
import { matchDescription, otherListeners, otherRoutes } from './not-chosen.ts'
import {
  backendPoliciesInForce,
  listenerPolicies,
  type PolicyView,
  routePoliciesInForce,
} from './policies-in-force.ts'
import { requestVerdict } from './request-verdict.ts'
import { writtenAt } from './written.ts'

/** Options of an {@link Explainer}. */
export interface ExplainerOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The caller's claims, in place of verifying a token. */
  readonly claims?: object | undefined
}

/**
 * Explains what a gateway with a configuration does with requests. Requests run through the configuration as the
 * gateway compiles it; nothing leaves the process.
 */
export class Explainer implements AsyncDisposable {
  readonly #loaded: LoadedConfig
  readonly #origins: PolicyOrigins
  readonly #runs: DryRuns
  readonly #redaction: Redaction

  constructor(loaded: LoadedConfig, origins: PolicyOrigins, { env = {}, claims }: ExplainerOptions = {}) {
    this.#loaded = loaded
    this.#origins = origins
    this.#runs = new DryRuns(loaded, env, claims)
    this.#redaction = new Redaction(loaded.process.sensitiveHeaders)
  }

  /** Resources with merged policies. */
  get resources(): Resources {
    return this.#runs.merged
  }

  /** @param url As it was given, for display. */
  async explain(bindKey: string, url: string, request: DryRequest): Promise<Explanation> {
    const { run, outcome } = await this.#runs.send(bindKey, request)
    const bind = run.merged.binds.find(({ key }) => key === bindKey)
    if (!bind) throw new TypeError(`there is no bind ${bindKey}`)
    const exchange = outcome.kind === 'exchange' ? outcome : undefined
    const listener = exchange && listenerOf(bind, exchange)
    const chain = exchange && listener ? routeChain(run.merged, listener, exchange) : noRoutes
    const view = this.#view(run)
    const policies = [
      ...(listener ? listenerPolicies(listener, view) : []),
      ...chain.routes.flatMap((route) => routePoliciesInForce(route, view)),
    ]
    const last = chain.routes.at(-1)
    const ofBackends = last
      ? last.backends.flatMap((backend) =>
          backendPoliciesInForce(last, backend, backendLabel(backend), run.merged, view),
        )
      : []
    const { x } = exchange ?? {}
    const matched = exchange?.probe.selections.at(-1)?.request
    return {
      file: this.#loaded.name,
      request: {
        method: request.method,
        url,
        received: request.target,
        target: matched?.target ?? x?.request.target ?? request.target,
        host: matched?.host ?? x?.request.host ?? '',
      },
      bind: bindKey,
      listener: listener && {
        key: listener.key,
        gateway: listener.gatewayName,
        name: listener.listenerName,
        hostname: listener.hostname === '' ? '*' : listener.hostname,
        protocol: listener.protocol,
        written: listener.origin && writtenAt(listener.origin),
      },
      otherListeners: otherListeners(
        bind,
        listener?.key,
        hostOf(request, x?.request.received.authority),
        request.serverName !== undefined,
      ),
      routes: chain.routes.map((route, i) => explainedRoute(route, exchange?.probe.selections[i]?.request)),
      otherRoutes: chain.others,
      policies: [...policies, ...ofBackends],
      rules: exchange?.probe.evaluations.flatMap(({ rules }) => rules) ?? [],
      backends: last ? backendChoices(last, run.merged) : [],
      verdicts: await this.#verdicts(bindKey, request, outcome, last),
      undecided: undecidedOf(policies, ofBackends, exchange),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs[Symbol.asyncDispose]()
  }

  #view({ offline }: DryRun): PolicyView {
    const { secrets } = this.#loaded
    return {
      origins: this.#origins,
      hiding: { redaction: this.#redaction, secrets },
      undecided: offline.undecided,
    }
  }

  /** One verdict for each backend that may be chosen, or one for all if they are equal. */
  async #verdicts(
    bind: string,
    request: DryRequest,
    outcome: DryOutcome,
    route: Route | undefined,
  ): Promise<readonly RequestVerdict[]> {
    const all = route?.backends.map((backend, index) => ({ backend, index })) ?? []
    const candidates = all.filter(({ backend }) => backend.weight > 0).slice(0, MAX_CANDIDATES)
    const [only] = candidates
    if (!route || candidates.length < 2)
      return [requestVerdict(outcome, this.#redaction, only && backendLabel(only.backend))]
    const verdicts: RequestVerdict[] = []
    for (const { backend, index } of candidates) {
      const narrowed = await this.#runs.send(bind, request, { route: route.key, index })
      verdicts.push(requestVerdict(narrowed.outcome, this.#redaction, backendLabel(backend), true))
    }
    return withoutRepeats(verdicts)
  }
}

/** Routes with more backends are cut short. */
const MAX_CANDIDATES = 16

/** Replies that every backend would give were given before one was chosen. */
const withoutRepeats = (verdicts: readonly RequestVerdict[]): readonly RequestVerdict[] => {
  const texts = new Set(verdicts.map((one) => JSON.stringify({ ...one, backend: undefined })))
  const [first] = verdicts
  if (texts.size > 1 || first?.kind !== 'reply') return verdicts
  const { backend: _, ...common } = first
  return [common]
}

/** The routes that a request passes, and why not the others of their tables. */
interface RouteChain {
  readonly routes: readonly Route[]
  readonly others: readonly NotChosen[]
}

const noRoutes: RouteChain = { routes: [], others: [] }

const routeChain = (resources: Resources, { routes }: Listener, { probe }: DryExchange): RouteChain => {
  const chosen: Route[] = []
  const others: NotChosen[] = []
  let table = routes
  for (const { selected, request } of probe.selections) {
    const written = table.find(({ key }) => key === selected)
    others.push(...otherRoutes(table, written, request))
    if (!written) break
    const outer = chosen.at(-1)
    chosen.push(outer ? handDown(outer, written) : written)
    const groups = written.backends.flatMap(({ target }) =>
      target.kind === 'routeGroup' ? [target.name] : [],
    )
    table = resources.routeGroups.filter(({ name }) => groups.includes(name)).flatMap((group) => group.routes)
  }
  return { routes: chosen, others }
}

const explainedRoute = (route: Route, request: Request | undefined): Explanation['routes'][number] => {
  const match = request && matchedBy(route, request)
  return {
    key: route.key,
    name: `${route.namespace}/${route.name}`,
    rule: route.ruleName,
    match: match ? matchDescription(match) : '',
    written: route.origin && writtenAt(route.origin),
  }
}

const listenerOf = ({ listeners }: Bind, { x }: DryExchange): Listener | undefined =>
  listeners.find(
    ({ gatewayName, gatewayNamespace, listenerName }) =>
      x.labels.listener === listenerName && x.labels.gateway === `${gatewayNamespace}/${gatewayName}`,
  )

const hostOf = ({ serverName }: DryRequest, authority: string | undefined): string =>
  serverName ?? authority?.replace(/:\d+$/, '') ?? ''

const undecidedOf = (
  policies: readonly ExplainedPolicy[],
  ofBackends: readonly ExplainedPolicy[],
  exchange: DryExchange | undefined,
): readonly Undecided[] => {
  const named = [...policies, ...ofBackends].flatMap(({ level, of, policy, undecided }) =>
    undecided === undefined ? [] : [{ level, of, policy, why: undecided }],
  )
  const kinds = [...new Set(exchange?.callouts)].filter((kind) => kind !== 'key set')
  return [
    ...named,
    ...kinds.map((kind) => ({
      level: 'request',
      of: '',
      policy: 'callout',
      why: `a policy calls the ${kind}, whose response is not known here: the verdict is that of its failure`,
    })),
  ]
}
