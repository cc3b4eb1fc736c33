import { X509Certificate } from 'node:crypto'
import type { GraphReads } from '../../graph/query.ts'
import type { ObjectReference } from '../../kinds/gateway-api.ts'

/** The certificate authorities of a reference, or why there are none. */
export type CaCertificates =
  | { readonly pem: string }
  | { readonly reason: 'InvalidCACertificateRef' | 'InvalidKind'; readonly message: string }

/** The certificates under `ca.crt` of a ConfigMap or Secret, each of which must be valid X.509. */
export const caCertificates = (
  reads: GraphReads,
  { group = '', kind = '', name }: ObjectReference,
  namespace: string,
): CaCertificates => {
  if (group !== '' || (kind !== 'ConfigMap' && kind !== 'Secret'))
    return { reason: 'InvalidKind', message: `CA certificates of kind ${group}/${kind} are not supported` }
  const key = `${namespace}/${name}`
  const what = `${kind} ${key}`
  const invalid = (message: string): CaCertificates => ({ reason: 'InvalidCACertificateRef', message })
  if (!reads.object(kind, key)) return invalid(`${what} not found`)
  const text = bundle(reads, kind, key)
  if (text === undefined) return invalid(`${what} has no key ca.crt`)
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length === 0) return invalid(`ca.crt of ${what} has no certificates`)
  if (!certificates.every((pem) => isCertificate(pem)))
    return invalid(`ca.crt of ${what} has a certificate that cannot be parsed`)
  return { pem: `${certificates.join('\n')}\n` }
}

const bundle = (reads: GraphReads, kind: 'ConfigMap' | 'Secret', key: string): string | undefined => {
  if (kind === 'Secret') return decoded(reads.object('Secret', key)?.data?.['ca.crt'])
  const map = reads.object('ConfigMap', key)
  return map?.data?.['ca.crt'] ?? decoded(map?.binaryData?.['ca.crt'])
}

const decoded = (base64: string | undefined): string | undefined =>
  base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('utf8')

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    // OpenSSL's messages differ from version to version, and statuses have to be the same on every replica.
    return false
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
