import { isBase64url, jsonObjectIn } from './encoded-part.ts'

/** The algorithms that are understood: asymmetric ones, so that who can verify a token cannot make one. */
export type TokenAlgorithm =
  'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'EdDSA'

/** What `alg` may say. */
const tokenAlgorithms: readonly TokenAlgorithm[] = [
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

/** A signed text taken apart. Nothing of it is verified. */
export interface SignedText {
  readonly text: string
  readonly algorithm: TokenAlgorithm
  /** Which key it is said to be signed with. */
  readonly keyId: string
  /** As it came, base64url and all. */
  readonly payload: string
}

/** Why a text is no token that could be verified. */
export interface TokenProblem {
  readonly code: 'jwt_malformed' | 'jwt_without_kid'
  readonly message: string
}

/** Longer texts are refused unread. */
export const MAX_TOKEN_LENGTH = 16_384

/**
 * Takes a JSON Web Signature apart, in its compact form (RFC 7515 §7.1), and refuses whatever two readers could read in
 * two ways: other spellings of base64url, names that come twice, a header that is not UTF-8, and extensions that must be
 * understood and are not (`crit`, `b64`).
 *
 * Headers that bring or name a key (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 */
export const readSignedText = (text: string): SignedText | TokenProblem => {
  if (text.length > MAX_TOKEN_LENGTH) return malformed(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  const parts = text.split('.', 6)
  if (parts.length === 5) return malformed('it is encrypted')
  if (parts.length !== 3) return malformed('it does not have three parts')
  const [header, payload, signature] = parts as [string, string, string]
  if (!isBase64url(signature)) return malformed('its signature is not base64url')
  const head = jsonObjectIn(header)
  if ('problem' in head) return malformed(`its header ${head.problem}`)
  const { alg, kid, typ, cty } = head.value
  if (!isAlgorithm(alg)) return malformed('its algorithm is not accepted')
  for (const extension of ['crit', 'b64'])
    if (extension in head.value) return malformed(`its header has \`${extension}\`, which is not understood`)
  if (!isTextOrAbsent(typ) || !isTextOrAbsent(cty))
    return malformed('its header has a `typ` or `cty` that is no text')
  if (cty?.toLowerCase().replace(/^application\//, '') === 'jwt') return malformed('it holds another token')
  if (kid === undefined) return withoutKeyId
  if (typeof kid !== 'string') return malformed('its `kid` is no text')
  return { text, algorithm: alg, keyId: kid, payload }
}

/** A text that cannot be read, or not without doubt. */
export const malformed = (message: string): TokenProblem => ({ code: 'jwt_malformed', message })

const withoutKeyId: TokenProblem = { code: 'jwt_without_kid', message: 'its header has no `kid`' }

const isAlgorithm = (alg: unknown): alg is TokenAlgorithm =>
  (tokenAlgorithms as readonly unknown[]).includes(alg)

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string'
