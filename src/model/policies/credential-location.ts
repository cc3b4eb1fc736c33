import type { Cel } from '../resources/policies.ts'

/** Where a credential is written. */
export type CredentialField =
  | { readonly kind: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'queryParameter'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string }

/** Where a credential is read from. Header names are lower-case; prefixes match case-insensitively. */
export type CredentialLocation =
  | CredentialField
  | { readonly kind: 'expression'; readonly expression: Cel }
  /** Any of several locations. */
  | {
      readonly kind: 'several'
      readonly locations: readonly CredentialLocation[]
      /** Only the first location with a credential counts; otherwise different credentials are refused. */
      readonly isFirstAlone?: boolean
    }

/** The location of OAuth bearer tokens (RFC 6750 §2.1). */
export const bearerLocation: CredentialField = { kind: 'header', name: 'authorization', prefix: 'Bearer ' }
