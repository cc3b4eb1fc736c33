import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { bitString, derContent, der, inside, oid, derSequence, tags, time } from './der.ts'

/** A certificate authority. */
export interface SigningAuthority {
  /** The certificate of the key. */
  readonly certificate: X509Certificate
  readonly key: KeyObject
}

/** The subject of a certificate. */
export interface Leaf {
  /** A DNS name, in lower case. */
  readonly name: string
  readonly publicKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
}

/**
 * Issues a server certificate, as in RFC 5280, in PEM: for one name, and for TLS servers only. It expires
 * with that of the authority at the latest.
 *
 * @throws Error for a key of the authority that is neither RSA, nor of an elliptic curve, nor Ed25519.
 */
export const issueLeaf = (
  { certificate, key }: SigningAuthority,
  { name, publicKey, notBefore, notAfter }: Leaf,
): string => {
  const algorithm = signatureAlgorithm(key)
  const end = new Date(Math.min(notAfter.getTime(), new Date(certificate.validTo).getTime()))
  const subject = name.length > LONGEST_COMMON_NAME ? derSequence() : derSequence(commonName(name))
  const body = derSequence(
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, serialNumber()),
    algorithm.identifier,
    subjectOf(certificate),
    derSequence(time(notBefore), time(end)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, derSequence(...extensions(name, subject.length === 2, certificate))),
  )
  const signature = sign(algorithm.hash, body, key)
  const text = derSequence(body, algorithm.identifier, bitString(signature)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

const extensions = (name: string, hasNoSubject: boolean, authority: X509Certificate): readonly Buffer[] => [
  extension('2.5.29.19', true, derSequence()),
  extension('2.5.29.15', true, der(tags.bitString, Buffer.from([7, 0x80]))),
  extension('2.5.29.37', false, derSequence(oid('1.3.6.1.5.5.7.3.1'))),
  extension('2.5.29.17', hasNoSubject, derSequence(der(0x82, Buffer.from(name)))),
  extension('2.5.29.35', false, derSequence(der(0x80, keyIdentifier(authority)))),
]

const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  derSequence(
    oid(id),
    ...(isCritical ? [der(tags.boolean, Buffer.from([0xff]))] : []),
    der(tags.octetString, value),
  )

const commonName = (name: string): Buffer =>
  der(tags.set, derSequence(oid('2.5.4.3'), der(tags.utf8String, Buffer.from(name))))

/** The limit of RFC 5280; clients check the alternative name in any case. */
const LONGEST_COMMON_NAME = 64

/** Positive and unique. */
const serialNumber = (): Buffer => {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

/** The subject of an authority, byte for byte as in its certificate: clients compare the bytes. */
const subjectOf = (certificate: X509Certificate): Buffer => {
  const fields = bodyOf(certificate)
  return fields[4] ?? derSequence()
}

/** The key identifier of the authority's certificate, else a hash of its key (RFC 5280, 4.2.1.2). */
const keyIdentifier = (certificate: X509Certificate): Buffer => {
  const fields = bodyOf(certificate)
  const list = fields.find((field) => field[0] === 0xa3)
  for (const one of list ? inside(inside(list)[0] ?? derSequence()) : []) {
    const [id, ...rest] = inside(one)
    const value = rest.at(-1)
    if (id?.equals(SUBJECT_KEY) && value) return derContent(derContent(value))
  }
  const [, bits = bitString(Buffer.alloc(0))] = inside(fields[5] ?? derSequence())
  return createHash('sha1').update(derContent(bits).subarray(1)).digest()
}

const SUBJECT_KEY = oid('2.5.29.14')

/** From the serial number on: version 1 certificates have no version field. */
const bodyOf = ({ raw }: X509Certificate): readonly Buffer[] => {
  const fields = inside(inside(raw)[0] ?? derSequence())
  return fields[0]?.[0] === 0xa0 ? fields.slice(1) : fields
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
