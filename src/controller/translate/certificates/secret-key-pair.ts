import { createPrivateKey, X509Certificate } from 'node:crypto'
import { defineQuery, type Query } from '../../graph/query.ts'
import { keyWeakness } from './key-strength.ts'
import { pemCertificates, decodedSecret } from './pem.ts'

/** A certificate chain and its private key, checked. */
export interface KeyPair {
  readonly certPem: string
  readonly keyPem: string
}

/** What is wrong with certificates. */
export interface CertificateError {
  /** Names the fields, and nothing of their contents. */
  readonly error: string
}

/** The key pair of a Secret, or why there is none. Key: that of the Secret. */
export const secretKeyPair: Query<KeyPair | CertificateError> = defineQuery('secretKeyPair', (reads, key) => {
  const secret = reads.object('Secret', key)
  if (!secret) return { error: `Secret ${key} was not found` }
  const fail = (problem: string): CertificateError => ({ error: `Secret ${key}: ${problem}` })
  const certText = decodedSecret(secret.data?.['tls.crt'] ?? '').trim()
  const keyPem = decodedSecret(secret.data?.['tls.key'] ?? '').trim()
  if (certText === '') return fail('tls.crt is missing or empty')
  if (keyPem === '') return fail('tls.key is missing or empty')
  const chain = parsedOrUndefined(() => pemCertificates(certText)) ?? []
  const [leaf] = chain
  if (leaf === undefined) return fail('tls.crt is not a PEM certificate')
  const privateKey = parsedOrUndefined(() => createPrivateKey(keyPem))
  if (!privateKey) return fail('tls.key is not a PEM private key without a password')
  const weakness = keyWeakness(privateKey)
  if (weakness !== undefined) return fail(`tls.key ${weakness}`)
  if (!new X509Certificate(leaf).checkPrivateKey(privateKey))
    return fail('tls.crt and tls.key do not belong together')
  const [weak] = chain.flatMap((pem) => keyWeakness(new X509Certificate(pem).publicKey) ?? [])
  if (weak !== undefined) return fail(`the key of a certificate in tls.crt ${weak}`)
  return { certPem: chain.join('\n'), keyPem }
})

/** Parsers throw on anything that they cannot read; their messages may quote it. */
const parsedOrUndefined = <T>(parse: () => T): T | undefined => {
  try {
    return parse()
  } catch {
    return undefined
  }
}
