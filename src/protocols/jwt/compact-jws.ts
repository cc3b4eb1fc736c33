import { isBase64url, claimsObjectIn } from './base64url-json.ts'

/** The supported algorithms: asymmetric ones, so that a verifier cannot issue tokens. */
export type TokenAlgorithm =
  'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'EdDSA'

/** Valid values of `alg`. */
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

/** A parsed JSON Web Signature. Nothing of it is verified. */
export interface SignedText {
  readonly text: string
  readonly algorithm: TokenAlgorithm
  /** The id of the key that it claims to be signed with. */
  readonly keyId: string
  /** As received, base64url-encoded. */
  readonly payload: string
}

/** Why a text is not a token that could be verified. */
export interface TokenProblem {
  readonly code: 'jwt_malformed' | 'jwt_without_kid'
  readonly message: string
}

/** Longer texts are refused without parsing. */
export const MAX_TOKEN_LENGTH = 16_384

/**
 * Parses a JSON Web Signature in its compact form (RFC 7515 §7.1), and refuses everything that two readers
 * could read in two ways: other encodings of base64url, repeated names, a header that is not UTF-8, and
 * extensions that must be understood but are not supported (`crit`, `b64`).
 *
 * Headers that contain or refer to a key (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 */
export const readSignedText = (text: string): SignedText | TokenProblem => {
  if (text.length > MAX_TOKEN_LENGTH) return malformed(`it is longer than ${MAX_TOKEN_LENGTH} characters`)
  const parts = text.split('.', 6)
  if (parts.length === 5) return malformed('it is encrypted')
  if (parts.length !== 3) return malformed('it does not have three parts')
  const [header, payload, signature] = parts as [string, string, string]
  if (!isBase64url(signature)) return malformed('its signature is not base64url')
  const head = claimsObjectIn(header)
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

/** A text that is invalid or ambiguous. */
export const malformed = (message: string): TokenProblem => ({ code: 'jwt_malformed', message })

const withoutKeyId: TokenProblem = { code: 'jwt_without_kid', message: 'its header has no `kid`' }

const isAlgorithm = (alg: unknown): alg is TokenAlgorithm =>
  (tokenAlgorithms as readonly unknown[]).includes(alg)

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === 'string'
