import type { SigningKey } from '../schema/normal-form.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { definedFields } from '../../../config/normalize/optional-fields.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'

/** A private key and its algorithm. */
export function signingKey(
  source: Pick<File.BackendJwtSign, 'signingKey' | 'alg' | 'kid'>,
  context: Context,
): SigningKey {
  return definedFields<SigningKey>({
    signingKey: secretText(source.signingKey, context),
    alg: source.alg ?? defaults.backendAuth.signingAlgorithm,
    kid: source.kid,
  })
}
