import { defaults } from '../../../config/defaults.ts'
import { type Properties, ref, text, words } from '../../../config/schema/builders.ts'

/** The fields of a key that signs tokens. */
export const signingKeyFields: Properties = {
  signingKey: ref('SecretText', 'Private key in PEM, RSA or EC to match `alg`.'),
  alg: words(
    'Signature algorithm.',
    ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'],
    defaults.backendAuth.signingAlgorithm,
  ),
  kid: text('Key ID for the token header.', { minLength: 1 }),
}
