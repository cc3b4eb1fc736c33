import type { Cel } from '../resources/policies.ts'

/** Where a credential is put. */
export type CredentialPlace =
  | { readonly kind: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'queryParameter'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string }

/** Where a credential is looked for. Names of headers are lower-case; prefixes are compared without case. */
export type CredentialLocation =
  | CredentialPlace
  | { readonly kind: 'expression'; readonly expression: Cel }
  /** In any of them. */
  | {
      readonly kind: 'several'
      readonly locations: readonly CredentialLocation[]
      /** Where the first has one, the others do not count; otherwise different ones in several are refused. */
      readonly isFirstAlone?: boolean
    }

/** Where OAuth's bearer tokens are (RFC 6750 §2.1). */
export const bearerLocation: CredentialPlace = { kind: 'header', name: 'authorization', prefix: 'Bearer ' }
