import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { issueAuthority } from '../../../../protocols/x509/issue-authority.ts'
import { issueLeaf } from '../../../../protocols/x509/issue-leaf.ts'
import { maySignCertificates } from '../../../../protocols/x509/read-certificate.ts'

/** The data of the Secret, decoded. */
export type CertificateSecretData = Readonly<Record<string, string | undefined>>

/** What the server shows, and what proxies check it with. PEM. */
export interface XdsCertificate {
  readonly cert: string
  readonly key: string
  /** For the ConfigMap of the proxies. */
  readonly ca: string
  /** When it must be replaced; undefined if the Secret has it, and is replaced by its owner. */
  readonly renewAt: Date | undefined
}

const DAY_MS = 24 * 3_600_000
const SKEW_MS = 3_600_000

/** The subject of authorities that are made here. */
export const AUTHORITY_NAME = 'CN=agw-xds-ca'

/** A new authority, as the data of the Secret that keeps it. */
export const newAuthorityData = (now: Date): { readonly 'ca.crt': string; readonly 'ca.key': string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const certificate = issueAuthority({
    name: AUTHORITY_NAME.slice('CN='.length),
    publicKey,
    privateKey,
    notBefore: new Date(now.getTime() - SKEW_MS),
    notAfter: new Date(now.getTime() + 3_650 * DAY_MS),
  })
  return { 'ca.crt': certificate, 'ca.key': pemOf(privateKey) }
}

/**
 * The certificate of the server, by what the Secret has: an authority, ours or one of cert-manager, with which a
 * certificate for a day is made in memory; or the certificate itself.
 *
 * @param names DNS names and addresses, the first of which is the usual one.
 * @throws Error if the Secret has neither, or something in it does not fit together.
 */
export const xdsCertificate = (
  data: CertificateSecretData,
  names: readonly string[],
  now: Date,
): XdsCertificate => {
  const { 'ca.crt': ca, 'ca.key': caKey, 'tls.crt': cert, 'tls.key': key } = data
  if (ca !== undefined && caKey !== undefined) return issued(authority(ca, caKey), '', ca, names, now)
  if (cert !== undefined && key !== undefined) {
    const pair = matching(cert, key)
    if (maySignCertificates(pair.certificate)) return issued(pair, cert, cert, names, now)
    if (ca === undefined)
      throw new Error('tls.crt is the certificate of a server: ca.crt must have its authority')
    return { cert, key, ca, renewAt: undefined }
  }
  throw new Error(
    'must have ca.crt and ca.key, or an authority in tls.crt and tls.key, or a certificate in tls.crt and tls.key with its authority in ca.crt',
  )
}

interface Authority {
  readonly certificate: X509Certificate
  readonly key: KeyObject
}

const authority = (ca: string, caKey: string): Authority => {
  const pair = matching(ca, caKey)
  if (!maySignCertificates(pair.certificate))
    throw new Error('ca.crt is not the certificate of an authority that signs others')
  return pair
}

const matching = (certificate: string, key: string): Authority => {
  const pair = { certificate: new X509Certificate(certificate), key: createPrivateKey(key) }
  if (!pair.certificate.checkPrivateKey(pair.key))
    throw new Error('the key does not belong to the certificate')
  return pair
}

/** @param chain What leads from the authority to one that proxies trust, with the authority; that alone if empty. */
const issued = (
  by: Authority,
  chain: string,
  ca: string,
  names: readonly string[],
  now: Date,
): XdsCertificate => {
  const end = new Date(by.certificate.validTo)
  if (end <= now) throw new Error('the authority has expired')
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const leaf = issueLeaf(by, {
    name: 'agw-xds-server',
    alternativeNames: names,
    publicKey,
    notBefore: new Date(now.getTime() - SKEW_MS),
    notAfter: new Date(now.getTime() + DAY_MS),
  })
  const renewAt = new Date(now.getTime() + DAY_MS / 2)
  return { cert: leaf + (chain || by.certificate.toString()), key: pemOf(privateKey), ca, renewAt }
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
