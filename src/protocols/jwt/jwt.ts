import { type ClaimsObject, claimsObjectIn } from './base64url-json.ts'
import { malformed, readSignedText, type SignedText, type TokenProblem } from './compact-jws.ts'

/** The claims of a token; the registered ones have the types that RFC 7519 §4.1 gives them. */
export interface Claims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  readonly exp?: number
  readonly nbf?: number
  readonly iat?: number
  readonly jti?: string
  readonly [name: string]: unknown
}

/** A parsed token. Nothing of it is verified. */
export interface Token extends SignedText {
  readonly claims: Claims
}

/**
 * Parses a JSON Web Token: a signed text, checked as by {@link readSignedText}, whose payload is an object
 * with claims of the right types.
 */
export const readToken = (text: string): Token | TokenProblem => {
  const signed = readSignedText(text)
  if (!('payload' in signed)) return signed
  const body = claimsObjectIn(signed.payload)
  if ('problem' in body) return malformed(`its payload ${body.problem}`)
  const wrong = wrongClaim(body.value)
  if (wrong !== undefined) return malformed(`its claim \`${wrong}\` has the wrong type`)
  return { ...signed, claims: body.value }
}

const isText = (value: unknown): value is string => typeof value === 'string'
/** Seconds since the epoch, with an optional fraction. Values beyond the range of a double are infinite. */
const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isAudience = (value: unknown): boolean => isText(value) || (Array.isArray(value) && value.every(isText))

const registered: readonly (readonly [name: string, fits: (value: unknown) => boolean])[] = [
  ['iss', isText],
  ['sub', isText],
  ['aud', isAudience],
  ['exp', isTime],
  ['nbf', isTime],
  ['iat', isTime],
  ['jti', isText],
]

const wrongClaim = (claims: ClaimsObject): string | undefined =>
  registered.find(([name, fits]) => name in claims && !fits(claims[name]))?.[0]
