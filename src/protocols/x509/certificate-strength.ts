import type { X509Certificate } from 'node:crypto'
import { derContent, inside, oidMatcher } from './der.ts'
import { signatureAlgorithmOf } from './read-certificate.ts'

/* What OpenSSL's default security level permits: at least 112 bits. */

/** Whether the signature of a certificate is one of today: none with SHA-1 or MD5. */
export const isStronglySigned = (certificate: X509Certificate): boolean => {
  const [algorithm = NONE, parameters] = inside(signatureAlgorithmOf(certificate))
  if (!isRsaPss(algorithm)) return isStrongSignature(algorithm)
  // Without this parameter the hash is SHA-1.
  const hash = parameters && inside(parameters).find(([tag]) => tag === HASH_PARAMETER)
  const [identifier] = hash ? inside(derContent(hash)) : []
  return identifier !== undefined && isStrongHash(identifier)
}

/** Whether the key of a certificate is of a kind and length of today. */
export const hasStrongKey = ({ publicKey }: X509Certificate): boolean => {
  const { modulusLength = 0, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {}
  switch (publicKey.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return modulusLength >= 2048
    case 'ec':
      return STRONG_CURVES.has(namedCurve)
    case 'ed25519':
    case 'ed448':
      return true
    default:
      return false
  }
}

const NONE = Buffer.alloc(0)
const HASH_PARAMETER = 0xa0
const isRsaPss = oidMatcher(['1.2.840.113549.1.1.10'])
/** SHA-256, SHA-384 and SHA-512. */
const isStrongHash = oidMatcher([
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
])
/** RSA and ECDSA with these hashes, Ed25519 and Ed448. */
const isStrongSignature = oidMatcher([
  ...['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.12', '1.2.840.113549.1.1.13'],
  ...['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4'],
  ...['1.3.101.112', '1.3.101.113'],
])
const STRONG_CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])
