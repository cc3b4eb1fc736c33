import { createHash, type KeyObject } from 'node:crypto'
import { der, derContent, derSequence, inside, tags } from './der.ts'
import { certificateExtension, commonName, signCertificate } from './sign-certificate.ts'

/** An authority to be made. */
export interface NewAuthority {
  readonly name: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
}

/** Issues the certificate of an authority that signs itself, in PEM. It signs certificates of servers, and no authorities. */
export const issueAuthority = ({ name, publicKey, privateKey, ...validity }: NewAuthority): string => {
  const subject = derSequence(commonName(name))
  const withoutAuthorities = der(tags.integer, Buffer.from([0]))
  return signCertificate(
    {
      issuer: subject,
      subject,
      publicKey,
      ...validity,
      extensions: [
        certificateExtension(
          BASIC_CONSTRAINTS,
          true,
          derSequence(der(tags.boolean, Buffer.from([0xff])), withoutAuthorities),
        ),
        certificateExtension(KEY_USAGE, true, der(tags.bitString, CERTIFICATES_AND_REVOCATION_LISTS)),
        certificateExtension(SUBJECT_KEY_IDENTIFIER, false, der(tags.octetString, identifierOf(publicKey))),
      ],
    },
    privateKey,
  )
}

const BASIC_CONSTRAINTS = '2.5.29.19'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14'
/** One bit of the last byte is not used. */
const CERTIFICATES_AND_REVOCATION_LISTS = Buffer.from([1, 0x06])

/** A hash of the bits of the key (RFC 5280, 4.2.1.2). */
const identifierOf = (key: KeyObject): Buffer => {
  const [, bits = Buffer.alloc(0)] = inside(key.export({ type: 'spki', format: 'der' }))
  return createHash('sha1').update(derContent(bits).subarray(1)).digest()
}
