import type { Cel } from './policies.ts'

/** Where a credential is put. */
export type CredentialPlace =
  | { readonly kind: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'queryParameter'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string }

/** Where a credential is looked for. Names of headers are lower-case; prefixes are compared without case. */
export type CredentialLocation = CredentialPlace | { readonly kind: 'expression'; readonly expression: Cel }

/** Where OAuth's bearer tokens are (RFC 6750 §2.1). */
export const bearerPlace: CredentialPlace = { kind: 'header', name: 'authorization', prefix: 'Bearer ' }
