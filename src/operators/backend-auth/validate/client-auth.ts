import { createPrivateKey, X509Certificate } from 'node:crypto'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import { checkSigningKey } from './signing-key.ts'
import type { ValidationContext } from '../../../config/validate/context.ts'

/** Checks how the gateway authenticates to a token endpoint: that the fields match the method. */
export function checkClientAuth(view: ValidationContext, auth: File.OauthClientAuth, pointer: string): void {
  const method = auth.method ?? 'clientSecretBasic'
  const { needs, takes } = FIELDS[method]
  for (const name of ALL) {
    if (auth[name] !== undefined && !takes.includes(name))
      view.problem(child(pointer, name), `does not go with the method ${method}`)
    if (auth[name] === undefined && needs.includes(name))
      view.problem(pointer, `must have ${name} with the method ${method}`)
  }
  if (auth.clientSecret !== undefined) secretOf(view, auth.clientSecret, child(pointer, 'clientSecret'))
  if (auth.signingKey !== undefined) checkSigningKey(view, { ...auth, signingKey: auth.signingKey }, pointer)
  examineCertificate(view, auth, pointer)
}

const OF_KEY = ['signingKey', 'assertionAudience', 'alg', 'kid', 'certificate', 'certificateHeader'] as const
const ALL = ['clientSecret', ...OF_KEY] as const
type Field = (typeof ALL)[number]

const FIELDS: Readonly<
  Record<
    NonNullable<File.OauthClientAuth['method']>,
    { readonly needs: readonly Field[]; readonly takes: readonly Field[] }
  >
> = {
  clientSecretBasic: { needs: ['clientSecret'], takes: ['clientSecret'] },
  clientSecretPost: { needs: [], takes: ['clientSecret'] },
  privateKeyJwt: { needs: ['signingKey', 'assertionAudience'], takes: OF_KEY },
}

function examineCertificate(
  view: ValidationContext,
  { certificate, certificateHeader, signingKey }: File.OauthClientAuth,
  pointer: string,
): void {
  if (certificate === undefined) {
    if (certificateHeader !== undefined)
      view.problem(child(pointer, 'certificateHeader'), 'needs a certificate')
    return
  }
  const at = child(pointer, 'certificate')
  if (certificateHeader === undefined) view.problem(at, 'needs a certificateHeader, x5c or x5t#S256')
  const pem = secretOf(view, certificate, at)
  if (pem === undefined) return
  const leaf = readCertificate(pem)
  if (leaf === undefined) view.problem(at, 'must be certificates in PEM')
  else if (signingKey !== undefined && !isOf(leaf, secretOf(view, signingKey, child(pointer, 'signingKey'))))
    view.warning(at, 'certificate_of_other_key', 'the first certificate is not one of the signingKey')
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function isOf(certificate: X509Certificate, key: string | undefined): boolean {
  if (key === undefined) return true
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return true // problems of the key are reported already
  }
}
