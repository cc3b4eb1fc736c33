import {
  either,
  exactlyOne,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  words,
} from '../../config/schema/builders.ts'
import type { CredentialLocation } from '../../model/policies/credential-location.ts'

/** Which requests need a token: all; those that have one must have a valid one; or none is refused. */
export type JwtMode = 'strict' | 'optional' | 'permissive'

/** Verifies JSON Web Tokens. */
export interface JwtAuth {
  readonly mode: JwtMode
  readonly location: CredentialLocation
  /** A token of any of them is accepted. */
  readonly providers: readonly JwtProvider[]
}

/** A trusted issuer. */
export interface JwtProvider {
  /** The `iss` claim of its tokens. */
  readonly issuer: string
  /** Accepted audiences; `aud` must contain one of them. Absent: any audience. */
  readonly audiences?: readonly string[]
  /** Claims that tokens must have. */
  readonly requiredClaims: readonly string[]
  readonly jwks: JwksSource
}

/** The source of an issuer's keys. Files have been read already. */
export type JwksSource =
  | { readonly kind: 'inline'; readonly text: string; readonly file?: string }
  | {
      readonly kind: 'url'
      readonly url: string
      /** Whether readiness requires the keys. */
      readonly required: boolean
    }

/** The source of an issuer's keys. */
const jwks = either(
  'Public keys of the issuer, as a JSON Web Key Set (RFC 7517).',
  text('Key set as a JSON string.', { minLength: 1 }),
  record(
    'Source of the key set; set exactly one of `file`, `url` and `keys`.',
    {
      file: text('File with the key set. Reloaded when it changes.', { minLength: 1 }),
      url: formatted(
        'httpUrl',
        'URL of the key set. Fetched at start, refreshed before it expires, and fetched again when a token has an unknown key ID. If a fetch fails, the last key set stays in use.',
      ),
      keys: ours(
        listOf(
          { type: 'object', description: 'JSON Web Key.', additionalProperties: true },
          'Keys, as a list of objects.',
          {
            minItems: 1,
          },
        ),
      ),
      readiness: ours(
        words(
          'Readiness while `url` has never been fetched successfully: not ready (`failClosed`) or ready (`failOpen`). In both cases tokens are refused with 503 until then.',
          ['failClosed', 'failOpen'],
          'failClosed',
        ),
      ),
    },
    exactlyOne('file', 'url', 'keys'),
  ),
)

const validationOptions = record('Further requirements for tokens.', {
  requiredClaims: listOf(
    text('Claim name.', { minLength: 1 }),
    'Claims that tokens must have. `exp`, `nbf`, `iss` and `aud` are validated whenever present. Default: `exp`.',
  ),
})

/** Fields of a trusted issuer. */
const issuerFields: Properties = {
  issuer: text('Issuer of the tokens; must equal the `iss` claim exactly.', { minLength: 1 }),
  audiences: listOf(
    text('Audience.', { minLength: 1 }),
    'Accepted audiences; `aud` must contain one of them. Default: any audience.',
    { minItems: 1 },
  ),
  jwks: ref('Jwks'),
  jwtValidationOptions: ref('JwtValidationOptions'),
}

/** What happens to requests without a valid token. */
export const tokenMode = (value: string): SchemaNode =>
  words(
    '`strict`: requests without a valid token are refused. `optional`: requests without a token pass unauthenticated, invalid tokens are refused. `permissive`: requests without a valid token pass unauthenticated.',
    ['strict', 'optional', 'permissive'],
    value,
  )

const common: Properties = {
  mode: tokenMode('optional'),
  location: ref(
    'CredentialLocation',
    'Where requests carry the token. Default: `Authorization` with the prefix `Bearer `.',
  ),
}

const required = ['issuer', 'jwks']

/** Definitions of JSON Web Tokens. */
export const jwtAuthDefinitions: Properties = {
  Jwks: jwks,
  JwtValidationOptions: validationOptions,
  JwtProvider: record('A trusted issuer.', issuerFields, { required }),
  JwtAuthSingle: record(
    'Verifies JSON Web Tokens of one issuer.',
    { ...issuerFields, ...common },
    { required },
  ),
  JwtAuthSeveral: record(
    'Verifies JSON Web Tokens of several issuers.',
    { providers: listOf(ref('JwtProvider'), 'Trusted issuers.', { minItems: 1 }), ...common },
    {
      required: ['providers'],
      'x-within': { list: 'providers', names: Object.keys(issuerFields) },
    },
  ),
  JwtAuth: {
    description:
      'Verifies JSON Web Tokens (RFC 7519). A valid token is removed from the request; expressions read its claims as `jwt`.',
    if: { type: 'object', required: ['providers'] },
    then: ref('JwtAuthSeveral'),
    else: ref('JwtAuthSingle'),
  },
}
