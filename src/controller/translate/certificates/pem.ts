import { X509Certificate } from 'node:crypto'

/**
 * The certificates of a PEM text, each as PEM. Everything else is left out, such as private keys that were stored along.
 *
 * @throws If one of them cannot be parsed.
 */
export const pemCertificates = (text: string): readonly string[] => {
  const blocks = text.match(certificateBlock) ?? []
  // Parsed for the check only: what a gateway gets must not make it refuse the resource.
  for (const block of blocks) new X509Certificate(block)
  return blocks
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The text of a value of a Secret. */
export const decodedSecret = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')
