import type { CredentialLocation } from './credential-location.ts'

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
