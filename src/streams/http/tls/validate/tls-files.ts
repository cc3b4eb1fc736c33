import { X509Certificate, createPrivateKey } from 'node:crypto'
import { child } from '../../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

/** The files of a certificate, its key, and the CA bundle for peer certificates. */
export interface TlsFiles {
  readonly cert?: string
  readonly key?: string
  readonly root?: string
  /** `dynamicCa`: the certificate belongs to a CA. */
  readonly mode?: string
}

/** Checks that the current files can be used for TLS. */
export function checkTlsFiles(
  view: ValidationContext,
  { cert, key, root, mode }: TlsFiles,
  pointer: string,
): void {
  let chain: string | undefined
  if (cert !== undefined)
    chain = view.watchedFile(
      child(pointer, 'cert'),
      cert,
      (text) => certificateProblem(text) ?? (mode === 'dynamicCa' ? authorityProblem(text) : undefined),
    )
  if (root !== undefined) view.watchedFile(child(pointer, 'root'), root, certificateProblem)
  if (key === undefined) return
  const owner = JSON.stringify(cert)
  view.watchedFile(
    child(pointer, 'key'),
    key,
    (text) => keyProblem(text) ?? (belongs(text, chain) ? undefined : `is not the key of ${owner}`),
  )
}

const certificateProblem = (text: string): string | undefined =>
  text.match(CERTIFICATES)?.every(isCertificate) ? undefined : 'has no certificate in PEM, or a broken one'

const authorityProblem = (text: string): string | undefined =>
  new X509Certificate(text).ca
    ? undefined
    : 'has no certificate of an authority, which tls.mode=dynamicCa needs'

const keyProblem = (text: string): string | undefined => {
  if (text.includes('ENCRYPTED')) return 'is encrypted: the gateway cannot open it'
  return succeeds(() => createPrivateKey(text)) ? undefined : 'has no private key in PEM, or a broken one'
}

const belongs = (key: string, chain: string | undefined): boolean =>
  chain === undefined || new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))

const isCertificate = (text: string): boolean => succeeds(() => new X509Certificate(text))

const succeeds = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^]*?(?:-----END CERTIFICATE-----|$)/g
