/**
 * Who is calling, as far as policies have proved it. Each policy of identity puts a new object with its own part in
 * place; nothing in it changes once it is there, because expressions keep what they converted.
 */
export interface Identity {
  /** Verified claims: what expressions read as `jwt`. */
  readonly jwt?: object
  /** The token the claims are from, as the client sent it. */
  readonly token?: string
  /** Metadata of the API key, and the key itself as a secret: `apiKey` in expressions. */
  readonly apiKey?: object
  /** Patterns of the language models that the API key is good for; undefined is all of them. */
  readonly allowedModels?: readonly string[]
  /** `basicAuth` in expressions. */
  readonly basicAuth?: { readonly username: string }
  /** Credentials that were good and taken out of the request, and from where; expressions do not see them. */
  readonly taken?: readonly TakenCredential[]
}

/** A credential that is not in the request any more. */
export interface TakenCredential {
  /** The same text for the same place. */
  readonly location: string
  readonly credential: string
}

/** Nothing is proved. */
export const anonymous: Identity = Object.freeze({})
