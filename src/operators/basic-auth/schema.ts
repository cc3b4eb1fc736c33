import { defaults } from '../../config/defaults.ts'
import { either, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import type { CredentialLocation } from '../../model/policies/credential-location.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'

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

const basicAuth = record(
  'Lets users in by name and password (RFC 7617). Needs TLS in front: the password is in every request.',
  {
    htpasswd: either(
      'The users, as `htpasswd` writes them.',
      text('Lines of the form `name:hash`, with bcrypt, apr1, SHA-1 or crypt hashes.', { minLength: 1 }),
      record(
        'Where the users are.',
        { file: text('The file. It is read again when it changes.', { minLength: 1 }) },
        { required: ['file'] },
      ),
    ),
    realm: text('What browsers call the place that asks.', {
      pattern: '^[\\x20-\\x7e]*$',
      default: defaults.basicAuthRealm,
    }),
    mode: words(
      'What becomes of requests without a password: refused, or let pass as nobody. A wrong one is refused in any case.',
      ['strict', 'optional'],
      'optional',
    ),
    authorizationLocation: ref(
      'CredentialLocation',
      'Where name and password are, encoded as RFC 7617 has it. Default: `Authorization`, after `Basic `. In `Proxy-Authorization` they are refused with 407.',
    ),
  },
  { required: ['htpasswd'] },
)

/** Definitions about user names and passwords. */
export const basicAuthDefinitions: Properties = { BasicAuth: basicAuth }
