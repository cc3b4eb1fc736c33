import { type KeyObject, randomBytes, sign } from 'node:crypto'
import { bitString, der, derSequence, oid, tags, time } from './der.ts'

/** The content of a certificate. */
export interface CertificateContent {
  /** Names, encoded. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  readonly publicKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions: readonly Uint8Array[]
}

/**
 * Signs a certificate, as in RFC 5280, and returns it in PEM.
 *
 * @throws Error for a key that is neither RSA, nor of an elliptic curve, nor Ed25519.
 */
export const signCertificate = (content: CertificateContent, key: KeyObject): string => {
  const algorithm = signatureAlgorithm(key)
  const body = derSequence(
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, serialNumber()),
    algorithm.identifier,
    content.issuer,
    derSequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, derSequence(...content.extensions)),
  )
  const signature = sign(algorithm.hash, body, key)
  const text = derSequence(body, algorithm.identifier, bitString(signature)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

/** An extension of a certificate. */
export const certificateExtension = (id: string, isCritical: boolean, value: Uint8Array): Buffer =>
  derSequence(
    oid(id),
    ...(isCritical ? [der(tags.boolean, Buffer.from([0xff]))] : []),
    der(tags.octetString, value),
  )

/** The common name, as part of a name. */
export const commonName = (name: string): Buffer =>
  der(tags.set, derSequence(oid('2.5.4.3'), der(tags.utf8String, Buffer.from(name))))

/** Positive and unique. */
const serialNumber = (): Buffer => {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

const signatureAlgorithm = (
  key: KeyObject,
): { readonly identifier: Buffer; readonly hash: string | null } => {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { identifier: derSequence(oid('1.2.840.113549.1.1.11'), der(tags.null)), hash: 'sha256' }
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve
      if (curve === 'secp384r1')
        return { identifier: derSequence(oid('1.2.840.10045.4.3.3')), hash: 'sha384' }
      if (curve === 'secp521r1')
        return { identifier: derSequence(oid('1.2.840.10045.4.3.4')), hash: 'sha512' }
      return { identifier: derSequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256' }
    }
    case 'ed25519':
      return { identifier: derSequence(oid('1.3.101.112')), hash: null }
    default:
      throw new Error(`a key of type ${String(key.asymmetricKeyType)} cannot sign certificates here`)
  }
}
