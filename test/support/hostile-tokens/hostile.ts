import type { Signer } from '../tokens.ts'

/** The trusted issuer, and the claims of its tokens. */
export interface TrustedIssuer {
  readonly rsa: Signer
  readonly ec: Signer
  readonly ed: Signer
  /** Valid claims, and others in their place. */
  readonly claims: (more?: object) => Readonly<Record<string, unknown>>
}

/** A token that must be refused. */
export interface Hostile {
  readonly what: string
  /** The token; or a list of several, each in a field of its own. */
  readonly token: string | readonly string[]
  /** The refusal after `authentication failure: `; by default that the token is invalid or malformed. */
  readonly says?: RegExp
}

/** Creates the tokens of one class. */
export type HostileClass = (victim: TrustedIssuer) => readonly Hostile[]

/** The name of a value in the title of a case. */
export const valueTitle = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))

export const unknownKey = /^token uses the unknown key "/
export const noKeyId = /^the token header does not specify a `kid`$/
export const notFound = /^no bearer token found$/
