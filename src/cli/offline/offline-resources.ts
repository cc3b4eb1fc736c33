import type { LlmProvider } from '../../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { Backend, Listener, Resources, Route } from '../../model/resources/resources.ts'
import { type Assumptions, localOnly, splitPolicies, type UndecidedPolicy } from './undecided-policies.ts'

/** Resources that can be decided without the outside, and what was left out of them. */
export interface OfflineResources {
  readonly resources: Resources
  /** By the key of the listener, the route or the backend. */
  readonly undecided: ReadonlyMap<string, readonly UndecidedPolicy[]>
}

/**
 * Leaves out the policies that depend on the outside, from resources with merged policies.
 *
 * The remaining ones are compiled by the gateway's own compiler, so that what is left is decided as in a gateway.
 */
export const offlineResources = (merged: Resources, assumptions: Assumptions): OfflineResources => {
  const splitting = new Splitting(assumptions)
  const binds = merged.binds.map((bind) => ({
    ...bind,
    listeners: bind.listeners.map((listener) => splitting.listener(listener)),
  }))
  const routeGroups = merged.routeGroups.map((group) => ({
    ...group,
    routes: group.routes.map((route) => splitting.route(route, splitting.everyAbsent)),
  }))
  const backends = merged.backends.map((backend) => splitting.backend(backend))
  const services = merged.services.map((service) => {
    const { namespace, hostname, policies, portPolicies } = service
    const decided = (of: BackendPolicies, name: string) => splitting.policies(name, of).decided
    const key = `${namespace}/${hostname}`
    return {
      ...service,
      ...(policies && { policies: decided(policies, key) }),
      ...(portPolicies && {
        portPolicies: Object.fromEntries(
          Object.entries(portPolicies).map(([port, of]) => [port, decided(of, `${key}:${port}`)]),
        ),
      }),
    }
  })
  return {
    resources: { ...merged, binds, routeGroups, backends, services, policies: [] },
    undecided: splitting.undecided,
  }
}

class Splitting {
  readonly undecided = new Map<string, readonly UndecidedPolicy[]>()
  readonly #assumptions: Assumptions
  readonly #absent = new Set<string>()

  constructor(assumptions: Assumptions) {
    this.#assumptions = assumptions
  }

  /** Absent on the way to some route: what counts for resources that several routes share. */
  get everyAbsent(): readonly string[] {
    return [...this.#absent]
  }

  policies<P extends Route['policies'] | Backend['policies'] | Listener['policies']>(
    key: string,
    policies: P,
    before: readonly string[] = this.everyAbsent,
  ): { readonly decided: P; readonly absent: readonly string[] } {
    const { decided, undecided, absent } = splitPolicies(policies, this.#assumptions, before)
    for (const name of absent) this.#absent.add(name)
    if (undecided.length > 0) this.undecided.set(key, undecided)
    return { decided, absent }
  }

  listener(listener: Listener): Listener {
    const { decided, absent } = this.policies(listener.key, listener.policies, [])
    return { ...listener, policies: decided, routes: listener.routes.map((one) => this.route(one, absent)) }
  }

  route(route: Route, before: readonly string[]): Route {
    const { decided, absent } = this.policies(route.key, route.policies, before)
    const backends = route.backends.map((backend, index) => ({
      ...backend,
      policies: this.policies(`${route.key}/backend${String(index)}`, backend.policies, absent).decided,
    }))
    return { ...route, policies: decided, backends }
  }

  backend(backend: Backend): Backend {
    const { decided } = this.policies(backend.key, backend.policies)
    return { ...backend, policies: decided, spec: this.#spec(backend.spec) }
  }

  #spec(spec: Backend['spec']): Backend['spec'] {
    if (spec.type !== 'llm') return spec
    const { choice } = spec
    if (choice.by === 'groups') {
      const groups = choice.groups.map((group) => group.map((one) => this.#provider(one)))
      return { ...spec, choice: { ...choice, groups } }
    }
    const models = choice.models.map((model) => ({ ...model, provider: this.#provider(model.provider) }))
    return { ...spec, choice: { ...choice, models } }
  }

  #provider(provider: LlmProvider): LlmProvider {
    const { guards, usual, policies } = provider
    return {
      ...provider,
      ...(guards && { guards: localOnly(guards) }),
      usual: splitPolicies(usual, this.#assumptions).decided,
      policies: splitPolicies(policies, this.#assumptions).decided,
    }
  }
}
