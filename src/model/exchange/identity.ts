/**
 * Who is calling, as proved by policies. Each authentication policy replaces the object with a new one that adds its
 * own part. The objects are immutable, because expressions cache what they converted.
 */
export interface Identity {
  /** Verified claims: `jwt` in expressions. */
  readonly jwt?: object
  /** The token the claims are from, as the client sent it. */
  readonly token?: string
  /** Metadata of the API key, and the key itself as a secret: `apiKey` in expressions. */
  readonly apiKey?: object
  /** Patterns of the language models that the API key may use; undefined means all. */
  readonly allowedModels?: readonly string[]
  /** `basicAuth` in expressions. */
  readonly basicAuth?: { readonly username: string }
  /** Accepted credentials that were removed from the request, with their locations; hidden from expressions. */
  readonly consumed?: readonly ConsumedCredential[]
}

/** A credential that was removed from the request. */
export interface ConsumedCredential {
  /** Identifies the location: equal texts for equal locations. */
  readonly location: string
  readonly credential: string
}

/** No identity is proved. */
export const anonymous: Identity = Object.freeze({})
