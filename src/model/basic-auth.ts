import type { CredentialLocation } from './credential-location.ts'
import type { SecretText } from './secret-text.ts'

/** Lets users in by name and password. */
export interface BasicAuth {
  readonly users: readonly PasswordUser[]
  /** What browsers call the place that asks. */
  readonly realm: string
  /** Whether requests without a password pass as nobody. Wrong ones never pass. */
  readonly mode: 'strict' | 'optional'
  readonly location: CredentialLocation
}

/** Somebody who has a password. */
export interface PasswordUser {
  readonly name: string
  /** As `htpasswd` writes it. A secret too: whoever has it can guess at leisure. */
  readonly hash: SecretText
}
