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

/** Who must have a token: everybody; whoever sends one must send a good one; or nobody is refused. */
export type JwtMode = 'strict' | 'optional' | 'permissive'

/** Verifies JSON Web Tokens. */
export interface JwtAuth {
  readonly mode: JwtMode
  readonly location: CredentialLocation
  /** Tokens of any of them are good. */
  readonly providers: readonly JwtProvider[]
}

/** Whose tokens are believed. */
export interface JwtProvider {
  /** What `iss` says in its tokens. */
  readonly issuer: string
  /** One of them must be in `aud`. Absent: whomever the token was made for. */
  readonly audiences?: readonly string[]
  /** Claims that must be there. */
  readonly requiredClaims: readonly string[]
  readonly jwks: JwksSource
}

/** Where the keys of an issuer are from. A file has been read when this is made. */
export type JwksSource =
  | { readonly kind: 'inline'; readonly text: string; readonly file?: string }
  | {
      readonly kind: 'url'
      readonly url: string
      /** Whether the gateway is not ready before it has the keys. */
      readonly required: boolean
    }

/** Where the keys of an issuer are from. */
const jwks = either(
  'The public keys of the issuer, as a JSON Web Key Set (RFC 7517).',
  text('The key set itself, as JSON.', { minLength: 1 }),
  record(
    'Where the key set is.',
    {
      file: text('In a file. It is read again when it changes.', { minLength: 1 }),
      url: formatted(
        'httpUrl',
        'At an address. It is fetched when the gateway starts, again before it is out of date, and when a token names a key that is not in it. What was fetched last goes on being used while the address does not answer.',
      ),
      keys: ours(
        listOf(
          { type: 'object', description: 'A key.', additionalProperties: true },
          'The keys themselves.',
          {
            minItems: 1,
          },
        ),
      ),
      readiness: ours(
        words(
          'Of an address: whether the gateway is not ready (`failClosed`) or ready all the same (`failOpen`) as long as it never answered. Tokens are refused with 503 in any case.',
          ['failClosed', 'failOpen'],
          'failClosed',
        ),
      ),
    },
    exactlyOne('file', 'url', 'keys'),
  ),
)

const validationOptions = record('What else tokens must have.', {
  requiredClaims: listOf(
    text('A claim.', { minLength: 1 }),
    'Claims that must be there. Those of times, issuer and audience are checked in any case if they are there. Default: `exp`.',
  ),
})

/** The fields that say whose tokens are believed. */
const issuerFields: Properties = {
  issuer: text('Who makes the tokens: what `iss` says in them, to the letter.', { minLength: 1 }),
  audiences: listOf(
    text('An audience.', { minLength: 1 }),
    'Whom tokens may be made for: one of these must be in `aud`. Without it tokens for anybody are taken.',
    { minItems: 1 },
  ),
  jwks: ref('Jwks'),
  jwtValidationOptions: ref('JwtValidationOptions'),
}

/** What becomes of requests without a good token. */
export const tokenMode = (value: string): SchemaNode =>
  words(
    '`strict`: every request needs a token. `optional`: requests without one pass as nobody, bad ones are refused. `permissive`: nothing is refused, a bad token counts as none.',
    ['strict', 'optional', 'permissive'],
    value,
  )

const common: Properties = {
  mode: tokenMode('optional'),
  location: ref('CredentialLocation', 'Where the token is. Default: `Authorization`, after `Bearer `.'),
}

const required = ['issuer', 'jwks']

/** Definitions about JSON Web Tokens. */
export const jwtAuthDefinitions: Properties = {
  Jwks: jwks,
  JwtValidationOptions: validationOptions,
  JwtProvider: record('Whose tokens are believed.', issuerFields, { required }),
  JwtAuthSingle: record(
    'Verifies JSON Web Tokens of one issuer.',
    { ...issuerFields, ...common },
    { required },
  ),
  JwtAuthSeveral: record(
    'Verifies JSON Web Tokens of several issuers.',
    { providers: listOf(ref('JwtProvider'), 'The issuers.', { minItems: 1 }), ...common },
    {
      required: ['providers'],
      'x-within': { list: 'providers', names: Object.keys(issuerFields) },
    },
  ),
  JwtAuth: {
    description:
      'Verifies JSON Web Tokens (RFC 7519). A good one is taken out of the request, and its claims are `jwt` in expressions.',
    if: { type: 'object', required: ['providers'] },
    then: ref('JwtAuthSeveral'),
    else: ref('JwtAuthSingle'),
  },
}
