import type { SigningKey } from '../../model/backend-auth.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import type { Context } from './context.ts'
import { defined } from './defined.ts'
import { secretText } from './secret-text.ts'

/** A private key, and how it signs. */
export function signingKey(
  source: Pick<File.BackendJwtSign, 'signingKey' | 'alg' | 'kid'>,
  context: Context,
): SigningKey {
  return defined<SigningKey>({
    signingKey: secretText(source.signingKey, context),
    alg: source.alg ?? defaults.backendAuth.signingAlgorithm,
    kid: source.kid,
  })
}
