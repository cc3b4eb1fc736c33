import type { CredentialField } from '../../../model/policies/credential-location.ts'
import { type MappedList, mapChanged } from '../../../model/resources/list-difference.ts'
import type { Listener, Resources, Route } from '../../../model/resources/resources.ts'
import { mayServeMetadata } from '../../../operators/mcp-authentication/stage.ts'
import type { Derived } from '../../derived.ts'
import { credentialFields } from '../credential-sources.ts'

/** What must be known of all routes of a listener together. */
export interface ListenerTraits {
  /** Locations of everything that must not be traced. */
  readonly credentials: readonly CredentialField[]
  /** Whether a route may have protected resources behind it. */
  readonly mayServeMetadata: boolean
  readonly hasLogin: boolean
  /** Whether a route keeps encoded slashes in paths. */
  readonly keepsSlashes: boolean
}

/**
 * The traits of each listener. Those of a route are kept as long as it is the same: to look into the policies of 2,000
 * routes takes a millisecond.
 */
export function* listenerTraits(
  { binds }: Resources,
  derived: Derived,
): Generator<undefined, ReadonlyMap<Listener, ListenerTraits>> {
  const found = new Map<Listener, ListenerTraits>()
  for (const bind of binds)
    for (const listener of bind.listeners) {
      const name = `${bind.key} ${listener.key}`
      const routes = yield* derived.steps<MappedList<Route, ListenerTraits>>('route traits', name, (before) =>
        mapChanged(listener.routes, before, traitsOf, () => true),
      )
      const { policies } = listener
      found.set(listener, joined([policyTraits(policies), ...routes.results]))
    }
  return found
}

const traitsOf = (route: Route): ListenerTraits => ({
  ...policyTraits(route.policies),
  mayServeMetadata: mayServeMetadata(route),
  keepsSlashes: route.encodedSlashes === 'keep',
})

const policyTraits = (policies: Listener['policies'] | Route['policies']): ListenerTraits => ({
  credentials: credentialFields(policies),
  mayServeMetadata: false,
  hasLogin: policies.oidc !== undefined,
  keepsSlashes: false,
})

const joined = (all: readonly ListenerTraits[]): ListenerTraits => ({
  credentials: all.flatMap(({ credentials }) => credentials),
  mayServeMetadata: all.some((one) => one.mayServeMetadata),
  hasLogin: all.some((one) => one.hasLogin),
  keepsSlashes: all.some((one) => one.keepsSlashes),
})
