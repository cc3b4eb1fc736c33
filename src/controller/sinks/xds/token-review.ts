import { createHash } from 'node:crypto'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'
import { type Authenticate, AuthenticationError, type ServiceAccount } from './authentication.ts'
import { FairQueue } from './fair-queue.ts'
import { readTokenClaims } from './token-claims.ts'

/** Creates a `TokenReview` at the API server, and returns the object with its status. */
export type CreateTokenReview = (review: TokenReview) => Promise<unknown>

/** The request to review a token. */
export interface TokenReview {
  readonly apiVersion: 'authentication.k8s.io/v1'
  readonly kind: 'TokenReview'
  readonly spec: { readonly token: string; readonly audiences: readonly string[] }
}

/** The path at which reviews are created. */
export const TOKEN_REVIEW_PATH = '/apis/authentication.k8s.io/v1/tokenreviews'

const AUDIENCE = 'agentgateway'
/** A revoked token stays accepted for so long. */
const LONGEST_TRUST_MS = 60_000
/** A refused token is refused again without a review for so long: an account may be made after its token. */
const REFUSAL_MS = 5_000
const CACHED_TOKENS = 4_096
const REVIEWS = { running: 16, pending: 256 }

/**
 * Finds service accounts by asking the API server. An accepted token is remembered for a minute, and never beyond its
 * own end, so that a restart of the control plane, with all proxies coming back, does not flood the API server. Nor can
 * whoever sends invented tokens: what could not succeed is refused here, a few reviews are made at a time, the callers
 * of each address in turn, and the rest waits or is refused.
 */
export const tokenReviews = (create: CreateTokenReview, now: () => number = Date.now): Authenticate => {
  // By digest: the tokens themselves are not kept.
  const accepted = boundedCache<string, { readonly account: ServiceAccount; readonly until: number }>(
    'reviewed_tokens',
    { max: CACHED_TOKENS },
  )
  // Apart from the accepted ones, which invented tokens must not displace.
  const refused = boundedCache<string, { readonly error: AuthenticationError; readonly until: number }>(
    'refused_tokens',
    { max: CACHED_TOKENS },
  )
  const queue = new FairQueue(REVIEWS)
  const reviewed = (digest: string): ServiceAccount | undefined => {
    const refusal = refused.get(digest)
    if (refusal && refusal.until > now()) throw refusal.error
    const known = accepted.get(digest)
    return known && known.until > now() ? known.account : undefined
  }
  const review = async (token: string, digest: string, expiresAt: number): Promise<ServiceAccount> => {
    // The same token may have been reviewed while this one waited.
    const known = reviewed(digest)
    if (known) return known
    const result = await create({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [AUDIENCE] },
    })
    try {
      const account = accountOf(result)
      accepted.set(digest, { account, until: Math.min(now() + LONGEST_TRUST_MS, expiresAt) })
      return account
    } catch (error) {
      if (error instanceof AuthenticationError) refused.set(digest, { error, until: now() + REFUSAL_MS })
      throw error
    }
  }
  return async (token, { address, isWaiting }) => {
    const claims = readTokenClaims(token, AUDIENCE, now())
    if (typeof claims === 'string') throw new AuthenticationError(claims)
    const digest = createHash('sha256').update(token).digest('base64')
    return (
      reviewed(digest) ??
      queue.run({
        source: address,
        isWanted: isWaiting,
        run: () => review(token, digest, claims.expiresAt),
      })
    )
  }
}

const accountOf = (reviewed: unknown): ServiceAccount => {
  const { status } = (reviewed ?? {}) as { readonly status?: ReviewStatus }
  if (status?.authenticated !== true)
    throw new AuthenticationError('the token is not one of this cluster, or not for this audience')
  // An API server without support for audiences returns none.
  if (!status.audiences?.includes(AUDIENCE))
    throw new AuthenticationError(`the token is not for the audience ${AUDIENCE}`)
  const [, namespace, name] = ACCOUNT.exec(status.user?.username ?? '') ?? []
  if (namespace === undefined || name === undefined)
    throw new AuthenticationError('the token does not belong to a service account')
  return { namespace, name }
}

interface ReviewStatus {
  readonly authenticated?: boolean
  readonly audiences?: readonly string[]
  readonly user?: { readonly username?: string }
}

const ACCOUNT = /^system:serviceaccount:([a-z0-9.-]+):([a-z0-9.-]+)$/
