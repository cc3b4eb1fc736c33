import { defaults } from '../../config/defaults.ts'
import { either, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import type { CredentialLocation } from '../../model/policies/credential-location.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'

/** Authentication by user name and password. */
export interface BasicAuth {
  readonly users: readonly PasswordUser[]
  /** Realm in the challenge, displayed by browsers. */
  readonly realm: string
  /** Whether requests without a password pass unauthenticated. Wrong ones never pass. */
  readonly mode: 'strict' | 'optional'
  readonly location: CredentialLocation
}

/** A user and the hash of the password. */
export interface PasswordUser {
  readonly name: string
  /** As in `htpasswd`. A secret too: it allows offline guessing. */
  readonly hash: SecretText
}

const basicAuth = record(
  'Authenticates users by name and password (RFC 7617). Use TLS: every request contains the password.',
  {
    htpasswd: either(
      'Users, in the format of `htpasswd`.',
      text('Lines of the form `name:hash`, with bcrypt, apr1, SHA-1 or crypt hashes.', { minLength: 1 }),
      record(
        'Users from a file.',
        { file: text('Path of the file. Reloaded when it changes.', { minLength: 1 }) },
        { required: ['file'] },
      ),
    ),
    realm: text('Realm in `WWW-Authenticate`, displayed by browsers.', {
      pattern: '^[\\x20-\\x7e]*$',
      default: defaults.basicAuthRealm,
    }),
    mode: words(
      '`strict`: requests without credentials are refused. `optional`: they pass unauthenticated. Wrong credentials are always refused.',
      ['strict', 'optional'],
      'optional',
    ),
    authorizationLocation: ref(
      'CredentialLocation',
      'Where requests carry the credentials, encoded as in RFC 7617. Default: `Authorization` with the prefix `Basic `. Failures with `Proxy-Authorization` get 407.',
    ),
  },
  { required: ['htpasswd'] },
)

/** Definitions of basic authentication. */
export const basicAuthDefinitions: Properties = { BasicAuth: basicAuth }
