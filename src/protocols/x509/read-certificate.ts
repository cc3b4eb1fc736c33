import type { X509Certificate } from 'node:crypto'
import { derContent, derSequence, inside, oid } from './der.ts'

/** The subject of a certificate, byte for byte: clients compare the bytes. */
export const certificateSubject = (certificate: X509Certificate): Buffer =>
  bodyOf(certificate)[4] ?? derSequence()

/** The public key of a certificate, with its algorithm. */
export const publicKeyOf = (certificate: X509Certificate): Buffer => bodyOf(certificate)[5] ?? derSequence()

/** An extension of a certificate. */
export interface ReadExtension {
  /** Encoded. */
  readonly id: Buffer
  readonly isCritical: boolean
  readonly value: Buffer
}

/** The extensions of a certificate. */
export const extensionsOf = (certificate: X509Certificate): readonly ReadExtension[] => {
  const list = bodyOf(certificate).find((field) => field[0] === EXTENSIONS)
  return (list ? inside(inside(list)[0] ?? derSequence()) : []).map((extension) => {
    const [id, ...rest] = inside(extension)
    const [critical, value = critical] = rest
    if (!id || !critical || !value) throw new Error('a certificate has a broken extension')
    return { id, isCritical: rest.length > 1 && derContent(critical)[0] !== 0, value: derContent(value) }
  })
}

/** The value of an extension, given by its object identifier; undefined if the certificate has none. */
export const extensionValue = (certificate: X509Certificate, id: string): Buffer | undefined => {
  const wanted = oid(id)
  return extensionsOf(certificate).find((extension) => extension.id.equals(wanted))?.value
}

/** The algorithm of the signature of a certificate, with its parameters. */
export const signatureAlgorithmOf = (certificate: X509Certificate): Buffer =>
  bodyOf(certificate)[1] ?? derSequence()

/** Whether the key may sign certificates: a certificate that does not say what it may be used for allows it. */
export const maySignCertificates = (certificate: X509Certificate): boolean => {
  if (!certificate.ca) return false
  const usage = extensionValue(certificate, KEY_USAGE)
  return usage === undefined || ((derContent(usage)[1] ?? 0) & CERTIFICATE_SIGNING) !== 0
}

const EXTENSIONS = 0xa3
const KEY_USAGE = '2.5.29.15'
const CERTIFICATE_SIGNING = 0x04

/** From the serial number on: version 1 certificates have no version field. */
const bodyOf = ({ raw }: X509Certificate): readonly Buffer[] => {
  const fields = inside(inside(raw)[0] ?? derSequence())
  return fields[0]?.[0] === 0xa0 ? fields.slice(1) : fields
}
