import { type JsonObject, jsonObjectIn } from '../../../protocols/json/json-object.ts'

/** The claims of a token. None can be trusted before the API server has reviewed it. */
export interface TokenClaims {
  /** When it ends, in milliseconds; 0 if it does not say. */
  readonly expiresAt: number
}

/**
 * Reads the claims of a token, or says why no review of it could succeed. A review costs the API server a signature and
 * a look for the account, and whoever reaches the port may have as many as it likes: what is no token, or not for us by
 * its own words, does not get that far.
 */
export const readTokenClaims = (token: string, audience: string, now: number): TokenClaims | string => {
  if (token.length > LONGEST_TOKEN) return 'the token is too long'
  const [header, payload, signature, ...more] = token.split('.')
  if (!header || !payload || !signature || more.length > 0 || !BASE64URL.test(signature)) return NO_TOKEN
  if (typeof decodedObject(header)?.alg !== 'string') return NO_TOKEN
  const { aud, exp, sub } = decodedObject(payload) ?? {}
  if (typeof sub !== 'string' || !ACCOUNT.test(sub)) return 'the token does not belong to a service account'
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    return `the token is not for the audience ${audience}`
  if (typeof exp !== 'number') return { expiresAt: 0 }
  return exp * 1000 + CLOCK_SKEW_MS < now ? 'the token has expired' : { expiresAt: exp * 1000 }
}

const NO_TOKEN = 'this is not a token of a service account'
/** Those of Kubernetes have about a thousand characters. */
const LONGEST_TOKEN = 16_384
/** The clock of the API server decides; ours may be fast. */
const CLOCK_SKEW_MS = 60_000
const ACCOUNT = /^system:serviceaccount:[a-z0-9.-]+:[a-z0-9.-]+$/
const BASE64URL = /^[A-Za-z0-9_-]+$/

const decodedObject = (encoded: string): JsonObject | undefined => {
  if (!BASE64URL.test(encoded)) return undefined
  try {
    return jsonObjectIn(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
  } catch {
    return undefined
  }
}
