import type { CompileContext } from './compile-context.ts'
import type { CredentialLocation, CredentialPlace } from '../../model/policies/credential-location.ts'
import type { GatewayPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import type { Listener, Resources } from '../../model/resources/resources.ts'
import type { CredentialSource } from '../../operators/credentials/credential-source.ts'

/** Compiles a location of credentials. */
export const credentialSource = (
  location: CredentialLocation,
  { expression }: Pick<CompileContext, 'expression'>,
): CredentialSource => {
  if (location.kind === 'several')
    return {
      kind: 'several',
      isFirstAlone: location.isFirstAlone ?? false,
      sources: location.locations.map((one) => credentialSource(one, { expression })),
    }
  return location.kind === 'expression'
    ? { kind: 'expression', expression: expression(location.expression) }
    : location
}

/** All locations where policies of a listener and its routes read credentials. */
export const credentialSources = (
  { policies, routes }: Listener,
  { routeGroups }: Resources,
): readonly CredentialPlace[] =>
  [
    policies,
    // All route groups, reachable or not: this is for watched exchanges only.
    ...[...routes, ...routeGroups.flatMap((group) => group.routes)].map((route) => route.policies),
  ].flatMap(placesOf)

const placesOf = ({
  apiKey,
  basicAuth,
  jwtAuth,
}: GatewayPolicies | RoutePolicies): readonly CredentialPlace[] =>
  [apiKey, basicAuth, jwtAuth].flatMap((policy) => (policy ? placesIn(policy.location) : []))

const placesIn = (location: CredentialLocation): readonly CredentialPlace[] => {
  if (location.kind === 'several') return location.locations.flatMap(placesIn)
  return location.kind === 'expression' ? [] : [location]
}
