import type { Sides } from '../../gateway.ts'
import type { BackendAuth, JwtSign } from '../../model/backend-auth.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import { authenticateUpstream, type UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'
import { jwtSigner } from '../../upstream/credentials/jwt-signer.ts'
import { TokenMemory } from '../../upstream/credentials/token-memory.ts'

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
  if ('jwtSign' in auth) return [signed(auth.jwtSign)]
  return []
}

const signed = ({ claims, ttlMs, location, ...key }: JwtSign): UpstreamCredential => {
  const sign = jwtSigner(key)
  const memory = new TokenMemory({ maxEntries: 1 })
  const issue = async () => ({ text: await sign(claims, ttlMs), lifeMs: ttlMs })
  return { kind: 'jwtSign', place: location, of: () => memory.get('', issue) }
}

const fixed = (kind: string, place: CredentialPlace, secret: string): UpstreamCredential => ({
  kind,
  place,
  of: () => secret,
})
