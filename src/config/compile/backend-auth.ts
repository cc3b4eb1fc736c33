import type { Sides } from '../../gateway.ts'
import type { BackendAuth } from '../../model/backend-auth.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import { authenticateUpstream, type UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'

/** Makes the stages that show a backend who the gateway is. */
export const backendAuthStages = (auth: BackendAuth): { readonly authenticate?: Sides } => {
  const credentials = [
    ...main(auth),
    ...auth.credentials.map(({ location, key }) => fixed('credential', location, key.secret)),
  ]
  return credentials.length ? { authenticate: { request: authenticateUpstream(credentials) } } : {}
}

const main = (auth: BackendAuth): readonly UpstreamCredential[] => {
  if ('passthrough' in auth)
    return [{ kind: 'passthrough', place: auth.passthrough.location, of: (x) => x.identity.token }]
  if ('key' in auth) return [fixed('key', auth.key.location, auth.key.value.secret)]
  return []
}

const fixed = (kind: string, place: CredentialPlace, secret: string): UpstreamCredential => ({
  kind,
  place,
  of: () => secret,
})
