import type { CompileContext } from './compile-context.ts'
import type { CredentialLocation, CredentialField } from '../../model/policies/credential-location.ts'
import type { GatewayPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import type { RouteGroup } from '../../model/resources/resources.ts'
import type { CredentialSource } from '../../operators/credentials/credential-source.ts'

/** Compiles the location of a credential. */
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

/** Every location in requests from which the policies of a listener or of a route read a credential. */
export const credentialFields = ({
  apiKey,
  basicAuth,
  jwtAuth,
}: GatewayPolicies | RoutePolicies): readonly CredentialField[] =>
  [apiKey, basicAuth, jwtAuth].flatMap((policy) => (policy ? locationsIn(policy.location) : []))

/** The same of route groups, also of those that no route delegates to: it matters for traced exchanges only. */
export const groupCredentialFields = (groups: readonly RouteGroup[]): readonly CredentialField[] =>
  groups.flatMap(({ routes }) => routes.flatMap(({ policies }) => credentialFields(policies)))

const locationsIn = (location: CredentialLocation): readonly CredentialField[] => {
  if (location.kind === 'several') return location.locations.flatMap(locationsIn)
  return location.kind === 'expression' ? [] : [location]
}
