/** What belongs to one login, and must come back unchanged. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  /** RFC 7636: the provider gets its hash first, and the verifier itself with the code. */
  readonly verifier: string
}

/** Claims of an ID token that was verified. */
export type IdTokenClaims = Readonly<Record<string, unknown>> & { readonly exp: number }
