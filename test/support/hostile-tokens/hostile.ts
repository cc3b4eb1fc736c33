import type { Signer } from '../tokens.ts'

/** The issuer whose tokens the gateway believes, and what its tokens say. */
export interface Victim {
  readonly rsa: Signer
  readonly ec: Signer
  readonly ed: Signer
  /** Claims that would be taken, and others in their place. */
  readonly claims: (more?: object) => Readonly<Record<string, unknown>>
}

/** A token that must be refused. */
export interface Hostile {
  readonly what: string
  /** The token; or, as a list, several of them, each in a field of its own. */
  readonly token: string | readonly string[]
  /** What the refusal says after `authentication failure: `; by default that the token is invalid or malformed. */
  readonly says?: RegExp
}

/** Makes the tokens of one class. */
export type HostileClass = (victim: Victim) => readonly Hostile[]

/** How a value is called in the name of a case. */
export const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))

export const unknownKey = /^token uses the unknown key "/
export const noKeyId = /^the token header does not specify a `kid`$/
export const notFound = /^no bearer token found$/
