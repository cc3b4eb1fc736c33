import { createHash, type KeyObject, type X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { bitString, der, derContent, derSequence, inside, oid, tags } from './der.ts'
import { addressBytes } from './address-bytes.ts'
import { extensionValue, publicKeyOf, certificateSubject } from './read-certificate.ts'
import { certificateExtension, commonName, signCertificate } from './sign-certificate.ts'

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
  /** DNS names and addresses that the server is known by; the name alone by default. */
  readonly alternativeNames?: readonly string[]
  readonly publicKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
}

/**
 * Issues a server certificate, as in RFC 5280, in PEM: for its names, and for TLS servers only. It expires
 * with that of the authority at the latest.
 *
 * @throws Error for a key of the authority that is neither RSA, nor of an elliptic curve, nor Ed25519.
 */
export const issueLeaf = (
  { certificate, key }: SigningAuthority,
  { name, alternativeNames = [name], publicKey, notBefore, notAfter }: Leaf,
): string => {
  const subject = name.length > LONGEST_COMMON_NAME ? derSequence() : derSequence(commonName(name))
  return signCertificate(
    {
      issuer: certificateSubject(certificate),
      subject,
      publicKey,
      notBefore,
      notAfter: new Date(Math.min(notAfter.getTime(), new Date(certificate.validTo).getTime())),
      extensions: extensions(alternativeNames, subject.length === 2, certificate),
    },
    key,
  )
}

const extensions = (
  names: readonly string[],
  hasNoSubject: boolean,
  authority: X509Certificate,
): readonly Buffer[] => [
  certificateExtension('2.5.29.19', true, derSequence()),
  certificateExtension('2.5.29.15', true, der(tags.bitString, Buffer.from([7, 0x80]))),
  certificateExtension('2.5.29.37', false, derSequence(oid('1.3.6.1.5.5.7.3.1'))),
  certificateExtension('2.5.29.17', hasNoSubject, derSequence(...names.map(generalName))),
  certificateExtension('2.5.29.35', false, derSequence(der(0x80, keyIdentifier(authority)))),
]

const generalName = (name: string): Buffer =>
  isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name))

/** The limit of RFC 5280; clients check the alternative name in any case. */
const LONGEST_COMMON_NAME = 64

/** The key identifier of the authority's certificate, else a hash of its key (RFC 5280, 4.2.1.2). */
const keyIdentifier = (certificate: X509Certificate): Buffer => {
  const own = extensionValue(certificate, SUBJECT_KEY)
  if (own) return derContent(own)
  const [, bits = bitString(Buffer.alloc(0))] = inside(publicKeyOf(certificate))
  return createHash('sha1').update(derContent(bits).subarray(1)).digest()
}

const SUBJECT_KEY = '2.5.29.14'
