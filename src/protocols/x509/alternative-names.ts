import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/**
 * Whether a certificate, in DER, has one of some alternative names: DNS names, IP addresses or URIs (such as SPIFFE ids). Its
 * subject does not count.
 */
export const hasAlternativeName = (der: Uint8Array, names: readonly string[]): boolean => {
  const certificate = new X509Certificate(der)
  return names.some((name) => carries(certificate, name))
}

const carries = (certificate: X509Certificate, name: string): boolean => {
  if (name.includes('://')) return uris(certificate).includes(name)
  if (isIP(name)) return certificate.checkIP(name) !== undefined
  return certificate.checkHost(name, { subject: 'never', partialWildcards: false }) !== undefined
}

/** Node writes an entry with a comma or a quote inside as a JSON string. */
const uris = ({ subjectAltName = '' }: X509Certificate): string[] =>
  [...subjectAltName.matchAll(/(?:^|, )URI:("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, uri = '']) =>
    uri.startsWith('"') ? (JSON.parse(uri) as string) : uri,
  )
