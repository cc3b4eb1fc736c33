import type { BackendAuth } from '../../backend-auth/schema/normal-form.ts'
import type { CredentialField } from '../../../model/policies/credential-location.ts'
import type { CredentialLocations } from './request-credentials.ts'

/** Where requests to a provider of language models have credentials of the gateway, according to its policy. */
export const credentialLocations = (auth: BackendAuth | undefined): CredentialLocations => ({
  isAllOwn: auth === undefined || !('passthrough' in auth),
  more: auth ? [...mainLocation(auth), ...auth.credentials.map(({ location }) => location)] : [],
})

const mainLocation = (auth: BackendAuth): readonly CredentialField[] => {
  if ('key' in auth) return [auth.key.location]
  if ('jwtSign' in auth) return [auth.jwtSign.location]
  if ('oauthTokenExchange' in auth) return [auth.oauthTokenExchange.authorizationLocation]
  if ('clientCredentials' in auth) return [auth.clientCredentials.location]
  return []
}
