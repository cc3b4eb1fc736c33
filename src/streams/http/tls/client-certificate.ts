import type { X509Certificate } from 'node:crypto'
import type { ClientCertificate } from '../../../model/exchange/connection.ts'

/** The attributes of a verified client certificate. */
export const readClientCertificate = (certificate: X509Certificate): ClientCertificate => {
  const names = subjectAltNames(certificate.subjectAltName)
  return {
    subject: oneLine(certificate.subject),
    subjectCn: commonName(certificate.subject),
    issuer: oneLine(certificate.issuer),
    subjectAltNames: names,
    spiffeId: names.find((name) => name.startsWith('spiffe://')),
    pem: certificate.toString(),
  }
}

/** Node writes one attribute a line; a multi-valued one also comes as one line. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').filter(Boolean).join(', ')

const commonName = (subject: string | undefined): string | undefined =>
  subject
    ?.split('\n')
    .find((line) => line.startsWith('CN='))
    ?.slice(3)

/** The values of `DNS:a, URI:b, …`, without their kinds. Node quotes values that contain a comma, as JSON strings. */
const subjectAltNames = (text: string | undefined): string[] => {
  const names: string[] = []
  for (const [, quoted, plain] of (text ?? '').matchAll(
    /(?:^|, )[A-Za-z ]+:(?:("(?:[^"\\]|\\.)*")|([^,"]*))/g,
  )) {
    const name = quoted === undefined ? plain : (JSON.parse(quoted) as string)
    if (name) names.push(name)
  }
  return names
}
