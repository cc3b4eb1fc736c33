import { X509Certificate, createPrivateKey } from 'node:crypto'
import { child } from '../../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

/** A certificate, its key, and the CA bundle for peer certificates: each as a file or as text. */
export interface TlsFiles {
  readonly cert?: string
  readonly key?: string
  readonly root?: string
  readonly certPem?: string
  readonly keyPem?: string
  readonly rootPem?: string
  /** `dynamicCa`: the certificate belongs to a CA. */
  readonly mode?: string
}

/** Checks that the texts, and the current files, can be used for TLS. */
export function checkTlsFiles(view: ValidationContext, tls: TlsFiles, pointer: string): void {
  const { cert, key, root, certPem, keyPem, rootPem, mode } = tls
  const chainProblem: ProblemOf = (text) =>
    certificateProblem(text) ?? (mode === 'dynamicCa' ? authorityProblem(text) : undefined)
  const chain =
    cert === undefined
      ? checkedText(view, child(pointer, 'certPem'), certPem, chainProblem)
      : view.watchedFile(child(pointer, 'cert'), cert, chainProblem)
  if (root !== undefined) view.watchedFile(child(pointer, 'root'), root, certificateProblem)
  checkedText(view, child(pointer, 'rootPem'), rootPem, certificateProblem)
  const owner = cert === undefined ? 'certPem' : JSON.stringify(cert)
  const ownProblem: ProblemOf = (text) =>
    keyProblem(text) ?? (belongs(text, chain) ? undefined : `is not the key of ${owner}`)
  if (key !== undefined) view.watchedFile(child(pointer, 'key'), key, ownProblem)
  checkedText(view, child(pointer, 'keyPem'), keyPem, ownProblem)
}

/** Checks that a certificate and its key are both files or both texts. */
export function checkTlsPairs(view: ValidationContext, tls: TlsFiles, pointer: string): void {
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    view.problem(pointer, "'cert' and 'key' belong together")
  }
  if ((tls.certPem === undefined) !== (tls.keyPem === undefined)) {
    view.problem(pointer, "'certPem' and 'keyPem' belong together")
  }
}

/** What is wrong with a text in PEM, completing the sentence `it …`. */
type ProblemOf = (text: string) => string | undefined

/** The text, if there is one, and it is valid. Messages do not repeat it. */
const checkedText = (
  view: ValidationContext,
  pointer: string,
  text: string | undefined,
  problemOf: ProblemOf,
): string | undefined => {
  const problem = text === undefined ? undefined : problemOf(text)
  if (problem === undefined) return text
  view.wrongValue(pointer, problem)
  return undefined
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
