import type { CredentialLocation } from './credential-location.ts'
import type { SecretText } from './secret-text.ts'

/** Lets callers in by key. */
export interface ApiKeys {
  readonly keys: readonly ApiKey[]
  /** Whether requests without a key pass as nobody, and in `permissive` mode those with a wrong one too. */
  readonly mode: 'strict' | 'optional' | 'permissive'
  readonly location: CredentialLocation
}

/** A key, and whose it is. */
export interface ApiKey {
  /** SHA-256 in lower-case hexadecimal. The key itself is nowhere in a running gateway until somebody sends it. */
  readonly hash: SecretText
  /** What rules read as `apiKey`. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Models that the caller may use, with `*` at an end or alone; without it all, and none if it is empty. */
  readonly allowedModels?: readonly string[]
}
