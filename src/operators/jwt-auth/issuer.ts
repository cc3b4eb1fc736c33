import type { Claims } from '../../protocols/jwt/jwt.ts'
import type { KeySet } from '../../upstream/jwks/key-set.ts'

/** An issuer of accepted tokens, and how they are verified. */
export interface JwtIssuer {
  readonly issuer: string
  readonly audiences: readonly string[] | undefined
  readonly requiredClaims: readonly string[]
  readonly keys: KeySet
}

/** Why a token is refused. */
export interface TokenRefusal {
  /** Snake_case, for log and trace. */
  readonly code: string
  /** For the client. */
  readonly message: string
}

/** Tolerance for clocks of different machines. */
const LEEWAY_SECONDS = 60

/** The reason to refuse claims, apart from their times. */
export const wrongClaims = (
  { issuer, audiences, requiredClaims }: JwtIssuer,
  claims: Claims,
): TokenRefusal | undefined => {
  if (claims.iss !== issuer) return wrongIssuer
  if (audiences && !isFor(audiences, claims.aud)) return refusals.audience
  const missing = requiredClaims.find((name) => !Object.hasOwn(claims, name))
  return missing === undefined
    ? undefined
    : { code: 'jwt_missing_claim', message: invalid(`it has no claim \`${missing}\``) }
}

/** The reason to refuse a token at this time, if any. */
export const wrongTime = ({ exp, nbf }: Claims, nowMs: number): TokenRefusal | undefined => {
  const now = nowMs / 1000
  if (exp !== undefined && now >= exp + LEEWAY_SECONDS) return refusals.expired
  return nbf !== undefined && now < nbf - LEEWAY_SECONDS ? refusals.early : undefined
}

/** How long a token stays valid, in milliseconds. */
export const goodForMs = ({ exp }: Claims, nowMs: number): number =>
  exp === undefined ? Infinity : (exp + LEEWAY_SECONDS) * 1000 - nowMs

/** The message of a refusal, with its reason. */
export const invalid = (reason: string): string => `the token is invalid or malformed: ${reason}`

/** The token of another issuer. */
export const wrongIssuer: TokenRefusal = {
  code: 'jwt_wrong_issuer',
  message: invalid('it is from another issuer'),
}

const refusals = {
  audience: { code: 'jwt_wrong_audience', message: invalid('it is for another audience') },
  expired: { code: 'jwt_expired', message: invalid('it has expired') },
  early: { code: 'jwt_not_yet_valid', message: invalid('it is not valid yet') },
} as const

const isFor = (audiences: readonly string[], aud: Claims['aud']): boolean =>
  typeof aud === 'string' ? audiences.includes(aud) : (aud?.some((one) => audiences.includes(one)) ?? false)
