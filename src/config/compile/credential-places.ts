import type { CredentialPlace } from '../../model/credential-location.ts'
import type { GatewayPolicies, RoutePolicies } from '../../model/policies.ts'
import type { Listener, Resources } from '../../model/resources.ts'

/** Every place in requests of a listener where a policy looks for a credential, in whatever route. */
export const credentialPlaces = (
  { policies, routes }: Listener,
  { routeGroups }: Resources,
): readonly CredentialPlace[] =>
  [
    policies,
    // Which groups are led to is not worth finding out: it is about watched exchanges only.
    ...[...routes, ...routeGroups.flatMap((group) => group.routes)].map((route) => route.policies),
  ].flatMap(placesOf)

const placesOf = ({
  apiKey,
  basicAuth,
  jwtAuth,
}: GatewayPolicies | RoutePolicies): readonly CredentialPlace[] =>
  [apiKey, basicAuth, jwtAuth].flatMap((policy) =>
    policy && policy.location.kind !== 'expression' ? [policy.location] : [],
  )
