import { defaults } from '../defaults.ts'
import { ref, text, words } from './kinds.ts'
import type { Properties } from './kinds.ts'

/** The fields of a key that signs tokens. */
export const signingKeyFields: Properties = {
  signingKey: ref('SecretText', 'The private key in PEM, RSA or EC as `alg` has it.'),
  alg: words(
    'How it signs.',
    ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'],
    defaults.backendAuth.signingAlgorithm,
  ),
  kid: text('The name of the key, for the header of the token.', { minLength: 1 }),
}
