import { parseStrictJson } from '../json/strict-json.ts'

/** The algorithms that are understood: asymmetric ones, so that who can verify a token cannot make one. */
export type TokenAlgorithm =
  'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'EdDSA'

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
export interface Token {
  readonly text: string
  readonly algorithm: TokenAlgorithm
  /** Which key it is said to be signed with. */
  readonly keyId: string
  readonly claims: Claims
}

/** Why a text is no token that could be verified. */
export interface TokenProblem {
  readonly code: 'jwt_malformed' | 'jwt_without_kid'
  readonly message: string
}

/** Longer tokens are refused unread. */
export const MAX_TOKEN_LENGTH = 16_384

/** What `alg` may say. */
export const tokenAlgorithms: readonly TokenAlgorithm[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
]

/**
 * Takes a JSON Web Token apart, in its compact form (RFC 7515 §7.1), and refuses whatever two readers could read in two
 * ways: other spellings of base64url, names that come twice, text that is not UTF-8, claims of the wrong type, and
 * extensions that must be understood and are not (`crit`, `b64`).
 *
 * Headers that bring or name a key (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 */
export const readToken = (text: string): Token | TokenProblem => {
  if (text.length > MAX_TOKEN_LENGTH) return malformed(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  const parts = text.split('.', 6)
  if (parts.length === 5) return malformed('it is encrypted')
  if (parts.length !== 3) return malformed('it does not have three parts')
  const [header, payload, signature] = parts as [string, string, string]
  if (!isBase64url(signature)) return malformed('its signature is not base64url')
  const head = objectIn(header, 'header')
  if ('problem' in head) return malformed(head.problem)
  const { alg, kid, typ, cty } = head.value
  if (!isAlgorithm(alg)) return malformed('its algorithm is not accepted')
  for (const extension of ['crit', 'b64'])
    if (extension in head.value) return malformed(`its header has \`${extension}\`, which is not understood`)
  if (!isTextOrAbsent(typ) || !isTextOrAbsent(cty))
    return malformed('its header has a `typ` or `cty` that is no text')
  if (cty?.toLowerCase().replace(/^application\//, '') === 'jwt') return malformed('it holds another token')
  if (kid === undefined) return withoutKeyId
  if (typeof kid !== 'string') return malformed('its `kid` is no text')
  const body = objectIn(payload, 'payload')
  if ('problem' in body) return malformed(body.problem)
  const claims = body.value
  const wrong = wrongClaim(claims)
  if (wrong !== undefined) return malformed(`its claim \`${wrong}\` has the wrong type`)
  return { text, algorithm: alg, keyId: kid, claims }
}

const malformed = (message: string): TokenProblem => ({ code: 'jwt_malformed', message })

const withoutKeyId: TokenProblem = { code: 'jwt_without_kid', message: 'its header has no `kid`' }

type JsonObject = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const objectIn = (
  part: string,
  name: string,
): { readonly value: JsonObject } | { readonly problem: string } => {
  if (!isBase64url(part)) return { problem: `its ${name} is not base64url` }
  let text: string
  try {
    text = utf8.decode(Buffer.from(part, 'base64url'))
  } catch {
    return { problem: `its ${name} is not UTF-8` }
  }
  const json = parseStrictJson(text)
  if ('problem' in json) return { problem: `its ${name} ${json.problem}` }
  return isObject(json.value) ? { value: json.value } : { problem: `its ${name} is no object` }
}

/** The one spelling that RFC 7515 §2 has: its own alphabet, no padding, and no bits beyond the last byte. */
const isBase64url = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAlgorithm = (alg: unknown): alg is TokenAlgorithm =>
  (tokenAlgorithms as readonly unknown[]).includes(alg)

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || isText(value)
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
