import { createHash } from 'node:crypto'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'
import { type Authenticate, AuthenticationError, type ServiceAccount } from './authentication.ts'

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
const CACHED_TOKENS = 4_096
const LONGEST_TOKEN = 16_384

/**
 * Finds service accounts by requests to the API server. An accepted token is cached for a minute, and never beyond its
 * own end, so that a restart of the control plane, with all proxies coming back, does not flood the API server.
 */
export const tokenReviews = (create: CreateTokenReview, now: () => number = Date.now): Authenticate => {
  // By digest: the tokens themselves are not kept.
  const accepted = boundedCache<string, { readonly account: ServiceAccount; readonly until: number }>(
    'reviewed_tokens',
    { max: CACHED_TOKENS },
  )
  return async (token) => {
    if (token.length > LONGEST_TOKEN) throw new AuthenticationError('the token is too long')
    const digest = createHash('sha256').update(token).digest('base64')
    const known = accepted.get(digest)
    if (known && known.until > now()) return known.account
    const reviewed = await create({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [AUDIENCE] },
    })
    const account = accountOf(reviewed)
    accepted.set(digest, { account, until: Math.min(now() + LONGEST_TRUST_MS, expiryOf(token)) })
    return account
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

/** When a token expires, by its own claim, which the API server has checked; tokens without one are not cached. */
const expiryOf = (token: string): number => {
  try {
    const [, payload = ''] = token.split('.')
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : 0
  } catch {
    return 0
  }
}
