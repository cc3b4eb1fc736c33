import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'
import { checkTlsFiles, checkTlsPairs } from './tls-files.ts'
import { checkTlsVersions } from './tls-versions.ts'

/** Checks the certificate, key and TLS versions of one listener. */
export function checkServerTls(view: ValidationContext, tls: File.ServerTls, at: string): void {
  checkPresence(view, tls, at)
  checkTlsVersions(view, at, ['minTLSVersion', 'minTlsVersion'], ['maxTLSVersion', 'maxTlsVersion'], tls)
  const root = (['root', 'rootPem'] as const).find((field) => tls[field] !== undefined)
  if (tls.mode === 'dynamicCa' && root !== undefined)
    view.problem(child(at, root), `tls.${root} is not supported with tls.mode=dynamicCa`)
  if (tls.clientCertificates !== undefined && root === undefined && tls.invalid === undefined)
    view.problem(child(at, 'clientCertificates'), "tls.clientCertificates requires 'root' or 'rootPem'")
  checkTlsFiles(view, tls, at)
}

/** A listener has a certificate and its key, both as files or both as texts, unless it is marked as invalid. */
function checkPresence(view: ValidationContext, tls: File.ServerTls, at: string): void {
  if (tls.certPem !== undefined || tls.keyPem !== undefined) checkTlsPairs(view, tls, at)
  else if (tls.invalid === undefined) {
    if (tls.cert === undefined) view.problem(at, "tls requires 'cert' (or 'spiffe')")
    if (tls.key === undefined) view.problem(at, "tls requires 'key' (or 'spiffe')")
  }
}
