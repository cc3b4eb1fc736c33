import { type Hiding, printed } from '../../config/dump/value.ts'
import { handedTo, mergeBackendPolicies } from '../../config/merge-policies.ts'
import type { PolicyOrigins } from '../../config/policy-origins.ts'
import { resourceIndex } from '../../model/resources/resource-index.ts'
import { ownPolicies } from '../../config/compile/own-policies.ts'
import { stageNames } from '../../insert-stages.ts'
import type { Listener, Resources, Route, WeightedBackend } from '../../model/resources/resources.ts'
import type { UndecidedPolicy } from '../offline/undecided-policies.ts'
import type { ExplainedPolicy } from './explanation.ts'
import { writtenAt } from './written.ts'

/** What is needed to describe policies. */
export interface PolicyView {
  readonly origins: PolicyOrigins
  readonly hiding: Hiding
  /** By the key of the listener, the route or the backend. */
  readonly undecided: ReadonlyMap<string, readonly UndecidedPolicy[]>
}

/** The policies of a listener, in the order in which they run. */
export const listenerPolicies = ({ key, policies }: Listener, view: PolicyView): readonly ExplainedPolicy[] =>
  inOrder('listener', key, policies, view.undecided.get(key), view)

/** The policies of a route that act on all of its requests. */
export const routePoliciesInForce = (
  { key, policies }: Route,
  view: PolicyView,
): readonly ExplainedPolicy[] => inOrder('route', key, policies, view.undecided.get(key), view)

/** The policies of a backend where a route uses it: its own, those of the route for its backends, and of the reference. */
export const backendPoliciesInForce = (
  route: Route,
  { target, policies }: WeightedBackend,
  name: string,
  resources: Resources,
  view: PolicyView,
): readonly ExplainedPolicy[] => {
  if (target.kind === 'invalid' || target.kind === 'routeGroup') return []
  const outer = handedTo('backends', route.policies)
  const merged = mergeBackendPolicies(
    ownPolicies(target, resourceIndex(resources)),
    mergeBackendPolicies(outer, policies),
  )
  const undecided = [...(view.undecided.get(name) ?? []), ...(view.undecided.get(route.key) ?? [])]
  return inOrder('backend', name, merged, undecided, view)
}

const inOrder = (
  level: ExplainedPolicy['level'],
  of: string,
  policies: object,
  undecided: readonly UndecidedPolicy[] = [],
  { origins, hiding }: PolicyView,
): readonly ExplainedPolicy[] => {
  const order = stageNames(level)
  const position = (name: string): number => {
    const found = order.indexOf(name)
    return found < 0 ? order.length : found
  }
  return Object.entries(policies)
    .sort(([a], [b]) => position(a) - position(b))
    .map(([policy, value]: [string, unknown]) => {
      const why = undecided.find((one) => one.policy === policy)?.why
      return {
        policy,
        level,
        of,
        value: printed(value, hiding),
        written: origins.of(value).map(writtenAt),
        ...(why !== undefined && { undecided: why }),
      }
    })
}
