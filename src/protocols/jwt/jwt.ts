import { jsonObjectIn } from './encoded-part.ts'
import type { JsonObject } from './encoded-part.ts'
import { malformed, readSignedText, type SignedText, type TokenProblem } from './signed-text.ts'

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

/** A token taken apart. Nothing of it is verified. */
export interface Token extends SignedText {
  readonly claims: Claims
}

/**
 * Takes a JSON Web Token apart: a signed text, as strictly as {@link readSignedText} does, whose payload is an object with
 * claims of the right types.
 */
export const readToken = (text: string): Token | TokenProblem => {
  const signed = readSignedText(text)
  if (!('payload' in signed)) return signed
  const body = jsonObjectIn(signed.payload)
  if ('problem' in body) return malformed(`its payload ${body.problem}`)
  const wrong = wrongClaim(body.value)
  if (wrong !== undefined) return malformed(`its claim \`${wrong}\` has the wrong type`)
  return { ...signed, claims: body.value }
}

const isText = (value: unknown): value is string => typeof value === 'string'
/** Seconds since the epoch, perhaps with a fraction. What is beyond a double's range arrives as infinity. */
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

const wrongClaim = (claims: JsonObject): string | undefined =>
  registered.find(([name, fits]) => name in claims && !fits(claims[name]))?.[0]
