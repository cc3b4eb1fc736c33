import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/**
 * Checks whether a certificate with a trusted chain belongs to the upstream.
 *
 * Alternative names replace the host name: any one of them is enough. They are DNS names, IP addresses or URIs (such as
 * SPIFFE ids), and only the certificate's alternative names count, never its subject.
 *
 * @param anyHost Accepts a certificate for another host, too.
 */
export const identityCheck = (
  host: string,
  subjectAltNames: readonly string[],
  anyHost: boolean,
): ((_: string, certificate: PeerCertificate) => Error | undefined) => {
  if (subjectAltNames.length)
    return (_, { raw }) => {
      const certificate = new X509Certificate(raw)
      if (subjectAltNames.some((name) => carries(certificate, name))) return undefined
      return Object.assign(new Error('the certificate carries none of the expected alternative names'), {
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      })
    }
  return anyHost ? () => undefined : (_, certificate) => checkServerIdentity(host, certificate)
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
