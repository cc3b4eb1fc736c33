import { createPrivateKey } from 'node:crypto'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { defaults } from '../../../config/defaults.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Checks that a private key is valid and matches its algorithm. */
export function checkSigningKey(
  view: ValidationContext,
  source: Pick<File.BackendJwtSign, 'signingKey' | 'alg'>,
  pointer: string,
): void {
  const at = child(pointer, 'signingKey')
  const pem = secretOf(view, source.signingKey, at)
  if (pem === undefined) return
  const alg = source.alg ?? defaults.backendAuth.signingAlgorithm
  const kind = kindOf(pem)
  const required = REQUIRED[alg]
  if (kind === undefined) view.problem(at, 'must be a private key in PEM, without a passphrase')
  else if (kind !== required)
    view.problem(at, `must be ${NAMES[required]} for ${alg}`, `this is ${NAMES[kind]}`)
}

const REQUIRED = {
  RS256: 'rsa',
  RS384: 'rsa',
  RS512: 'rsa',
  PS256: 'rsa',
  ES256: 'prime256v1',
  ES384: 'secp384r1',
} as const

const NAMES = {
  rsa: 'an RSA key of at least 2048 bits',
  shortRsa: 'an RSA key of less than 2048 bits',
  prime256v1: 'an EC key on P-256',
  secp384r1: 'an EC key on P-384',
  other: 'a key of another kind',
} as const

function kindOf(pem: string): keyof typeof NAMES | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    if (asymmetricKeyType === 'rsa')
      return (asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? 'shortRsa' : 'rsa'
    const curve = asymmetricKeyDetails?.namedCurve
    return curve === 'prime256v1' || curve === 'secp384r1' ? curve : 'other'
  } catch {
    return undefined
  }
}
