import type { BackendStages } from '../../gateway.ts'
import type { BackendAuth, JwtSign } from '../../model/backend-auth.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import { authenticateUpstream, type UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'
import { rememberedToken } from '../../operators/auth/remembered-token.ts'
import { renewCredentials } from '../../operators/auth/renew-credentials.ts'
import { jwtSigner } from '../../upstream/credentials/jwt-signer.ts'
import { TokenMemory } from '../../upstream/credentials/token-memory.ts'
import { crossApp, exchanged, owned } from './token-credentials.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that show a backend who the gateway is. */
export const backendAuthStages = (
  auth: BackendAuth,
  workshop: Workshop,
): Pick<BackendStages, 'authenticate' | 'renew'> => {
  const credentials = [
    ...main(auth, workshop),
    ...auth.credentials.map(({ location, key }) => fixed('credential', location, key.secret)),
  ]
  if (credentials.length === 0) return {}
  const isRenewable = credentials.some(({ refused }) => refused)
  return {
    authenticate: { request: authenticateUpstream(credentials) },
    ...(isRenewable && { renew: (inner) => renewCredentials(credentials, inner) }),
  }
}

const main = (auth: BackendAuth, workshop: Workshop): readonly UpstreamCredential[] => {
  if ('passthrough' in auth)
    return [{ kind: 'passthrough', place: auth.passthrough.location, of: (x) => x.identity.token }]
  if ('key' in auth) return [fixed('key', auth.key.location, auth.key.value.secret)]
  if ('jwtSign' in auth) return [signed(auth.jwtSign)]
  if ('oauthTokenExchange' in auth) return [exchanged(auth.oauthTokenExchange, workshop)]
  if ('crossAppAccess' in auth) return [crossApp(auth.crossAppAccess, workshop)]
  if ('clientCredentials' in auth) return [owned(auth.clientCredentials, workshop)]
  return []
}

const signed = ({ claims, ttlMs, location, ...key }: JwtSign): UpstreamCredential => {
  const sign = jwtSigner(key)
  const want = { key: '', issue: async () => ({ text: await sign(claims, ttlMs), lifeMs: ttlMs }) }
  const memory = new TokenMemory({ maxEntries: 1 })
  const { refused: _, ...credential } = rememberedToken({
    kind: 'jwtSign',
    place: location,
    memory,
    wanted: () => want,
  })
  // Another one would say the same: whoever refuses this one refuses that.
  return credential
}

const fixed = (kind: string, place: CredentialPlace, secret: string): UpstreamCredential => ({
  kind,
  place,
  of: () => secret,
})
