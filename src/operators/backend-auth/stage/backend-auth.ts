import type { BackendStages } from '../../gateway.ts'
import type { BackendAuth, JwtSign } from '../../model/backend-auth.ts'
import type { CredentialPlace } from '../../model/credential-location.ts'
import { authenticateUpstream, type UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'
import { rememberedToken } from '../../operators/auth/remembered-token.ts'
import { renewCredentials } from '../../operators/auth/renew-credentials.ts'
import { signForAws } from '../../operators/auth/sign-for-aws.ts'
import { jwtSigner } from '../../upstream/credentials/jwt-signer.ts'
import { TokenMemory } from '../../upstream/credentials/token-memory.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { ofAws, ofAzure, ofCopilot, ofGcp } from './cloud-credentials.ts'
import { crossApp, exchanged, owned } from './token-credentials.ts'
import { type UpstreamNames, upstreamNames } from './upstream-names.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that show a backend who the gateway is. */
export const backendAuthStages = (
  auth: BackendAuth,
  upstream: HttpUpstream,
  bufferLimitBytes: number,
  workshop: Workshop,
): Pick<BackendStages, 'authenticate' | 'renew' | 'sign'> => {
  const names = upstreamNames(upstream)
  const credentials = upstreamCredentials(auth, names, workshop)
  const sign = 'aws' in auth ? signForAws(ofAws(auth.aws, names, bufferLimitBytes, workshop)) : undefined
  if (credentials.length === 0) return { sign }
  const isRenewable = credentials.some(({ refused }) => refused)
  return {
    authenticate: { request: authenticateUpstream(credentials) },
    sign,
    ...(isRenewable && { renew: (inner) => renewCredentials(credentials, inner) }),
  }
}

/** What is put into requests of a backend, without what signs them. */
export const upstreamCredentials = (
  auth: BackendAuth,
  names: UpstreamNames,
  workshop: Workshop,
): readonly UpstreamCredential[] => [
  ...main(auth, names, workshop),
  ...auth.credentials.map(({ location, key }) => fixed('credential', location, key.secret)),
]

const main = (auth: BackendAuth, names: UpstreamNames, workshop: Workshop): readonly UpstreamCredential[] => {
  if ('passthrough' in auth) return [passed(auth.passthrough.location)]
  if ('key' in auth) return [fixed('key', auth.key.location, auth.key.value.secret)]
  if ('jwtSign' in auth) return [signed(auth.jwtSign)]
  if ('oauthTokenExchange' in auth) return [exchanged(auth.oauthTokenExchange, workshop)]
  if ('crossAppAccess' in auth) return [crossApp(auth.crossAppAccess, workshop)]
  if ('clientCredentials' in auth) return [owned(auth.clientCredentials, workshop)]
  if ('gcp' in auth) return [ofGcp(auth.gcp, names, workshop)]
  if ('azure' in auth) return [ofAzure(auth.azure, names, workshop)]
  if ('copilot' in auth) return [ofCopilot()]
  return []
}

const passed = (place: CredentialPlace): UpstreamCredential => ({
  kind: 'passthrough',
  place,
  of: (x) => x.identity.token,
  // What is in Authorization has a meaning of its own, and the backend has always had to look at it closely.
  isAloneInPlace: !(place.kind === 'header' && place.name === 'authorization'),
})

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
