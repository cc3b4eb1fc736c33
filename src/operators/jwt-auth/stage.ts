import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { JwksSource, JwtAuth, JwtProvider } from './schema.ts'
import { jwtAuth } from './jwt-auth.ts'
import { TokenVerifier } from './token-verifier.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { KeyRing, readKeyRing } from '../../protocols/jwk/key-ring.ts'
import { fixedKeySet, type KeySet } from '../../upstream/jwks/key-set.ts'
import { RemoteKeySet } from '../../upstream/jwks/remote-key-set.ts'
import { credentialSource } from '../../config/compile/credential-sources.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `jwtAuth`. */
export const jwtStage = (
  { mode, location, providers }: JwtAuth,
  { http }: FrontendPolicies,
  context: CompileContext,
): Operator =>
  jwtAuth({
    mode,
    source: credentialSource(location, context),
    verifier: tokenVerifier(providers, context),
    bufferLimitBytes: http.maxBufferBytes,
  })

/** The verifier for some issuers: shared by all policies with the same issuers, and kept over reloads. */
export const tokenVerifier = (
  providers: readonly JwtProvider[],
  { session, dependencies, evicted }: CompileContext,
): TokenVerifier => {
  // Key sets are acquired for each configuration, so that they live as long as the verifier does.
  const issuers = providers.map(({ issuer, audiences, requiredClaims, jwks }) => ({
    issuer,
    audiences,
    requiredClaims,
    keys: keySet(jwks, { session, dependencies }),
  }))
  const make = () =>
    new TokenVerifier(issuers, {
      evicted: () => {
        evicted('tokens')
      },
    })
  return session.keep(`token-verifier ${JSON.stringify(providers)}`, make)
}

const keySet = (
  source: JwksSource,
  { session, dependencies }: Pick<CompileContext, 'session' | 'dependencies'>,
): KeySet => {
  if (source.kind === 'inline') return fixedKeySet(ringOf(source.text))
  const { url, required } = source
  return session.keep(
    `key-set ${url} ${String(required)}`,
    () => new RemoteKeySet({ url, report: dependencies.add(`jwks ${withoutQuery(url)}`, required) }),
  )
}

const ringOf = (text: string): KeyRing => {
  const ring = readKeyRing(text)
  if (ring instanceof KeyRing) return ring
  throw new TypeError(`the key set ${ring.problem}; the checks should have refused it`)
}

/** The printed form of a URL: queries may contain keys. */
const withoutQuery = (url: string): string => url.replace(/\?.*/, '')
