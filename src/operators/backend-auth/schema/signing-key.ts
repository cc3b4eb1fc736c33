import { defaults } from '../../../config/defaults.ts'
import { type Properties, ref, text, words } from '../../../config/schema/builders.ts'

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
