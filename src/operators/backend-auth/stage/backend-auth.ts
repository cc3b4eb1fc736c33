import type { BackendStages } from '../../../gateway.ts'
import type { BackendAuth, JwtSign } from '../schema/normal-form.ts'
import { bearerLocation, type CredentialField } from '../../../model/policies/credential-location.ts'
import { authenticateUpstream, type UpstreamCredential } from '../backend-auth.ts'
import { cachedToken } from '../token-cache.ts'
import { renewCredentials } from '../refresh-on-401.ts'
import { signForAws } from '../aws-sigv4.ts'
import { CredentialFault } from '../../../upstream/credentials/credential-fault.ts'
import { jwtSigner } from '../../../upstream/credentials/jwt-signer.ts'
import { TokenCache } from '../../../upstream/credentials/token-cache.ts'
import type { HttpUpstream } from '../../../upstream/upstream.ts'
import { ofAws, ofAzure, ofCopilot, ofGcp } from './cloud-credentials.ts'
import { crossApp, exchanged, owned } from './oauth-credentials.ts'
import { type UpstreamNames, upstreamNames } from '../../../config/compile/upstream-names.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Compiles `backendAuth`. */
export const backendAuthStages = (
  auth: BackendAuth,
  upstream: HttpUpstream,
  context: CompileContext,
): Pick<BackendStages, 'backendAuth' | 'refreshCredentials' | 'signature'> => {
  const names = upstreamNames(upstream)
  const credentials = upstreamCredentials(auth, names, context)
  const sign = 'aws' in auth ? signForAws(ofAws(auth.aws, names, context)) : undefined
  if (credentials.length === 0) return { signature: sign }
  const isRenewable = credentials.some(({ refused }) => refused)
  return {
    backendAuth: { request: authenticateUpstream(credentials) },
    signature: sign,
    ...(isRenewable && { refreshCredentials: (inner) => renewCredentials(credentials, inner) }),
  }
}

/** The credentials for requests to a backend, without request signing. */
export const upstreamCredentials = (
  auth: BackendAuth,
  names: UpstreamNames,
  context: CompileContext,
): readonly UpstreamCredential[] => [
  ...main(auth, names, context),
  ...auth.credentials.map(({ location, key }) => fixed('credential', location, key.secret)),
]

const main = (
  auth: BackendAuth,
  names: UpstreamNames,
  context: CompileContext,
): readonly UpstreamCredential[] => {
  if ('passthrough' in auth) return [passed(auth.passthrough.location)]
  if ('key' in auth) return [fixed('key', auth.key.location, auth.key.value.secret)]
  if ('jwtSign' in auth) return [signed(auth.jwtSign)]
  if ('oauthTokenExchange' in auth) return [exchanged(auth.oauthTokenExchange, context)]
  if ('crossAppAccess' in auth) return [crossApp(auth.crossAppAccess, context)]
  if ('clientCredentials' in auth) return [owned(auth.clientCredentials, context)]
  if ('gcp' in auth) return [ofGcp(auth.gcp, names, context)]
  if ('azure' in auth) return [ofAzure(auth.azure, names, context)]
  if ('copilot' in auth) return [ofCopilot()]
  if ('invalid' in auth) return [missing(auth.invalid)]
  return []
}

const passed = (location: CredentialField): UpstreamCredential => ({
  kind: 'passthrough',
  location,
  of: (x) => x.identity.token,
  // A client value in `Authorization` is kept: backends have to verify that field in any case.
  isExclusive: !(location.kind === 'header' && location.name === 'authorization'),
})

/** Clients see that there is none, and the log why: the reason may name objects of a cluster. */
const missing = (why: string): UpstreamCredential => ({
  kind: 'invalid',
  location: bearerLocation,
  of: () => {
    throw new CredentialFault('the policy cannot be used', { isPermanent: true, cause: new Error(why) })
  },
})

const signed = ({ claims, ttlMs, location, ...key }: JwtSign): UpstreamCredential => {
  const sign = jwtSigner(key)
  const tokenRequest = { key: '', issue: async () => ({ text: await sign(claims, ttlMs), lifeMs: ttlMs }) }
  const cache = new TokenCache({ maxEntries: 1 })
  const { refused: _, ...credential } = cachedToken({
    kind: 'jwtSign',
    location,
    cache,
    tokenRequest: () => tokenRequest,
  })
  // A new token would have the same claims: a backend that refuses this one refuses that one.
  return credential
}

const fixed = (kind: string, location: CredentialField, secret: string): UpstreamCredential => ({
  kind,
  location,
  of: () => secret,
})
