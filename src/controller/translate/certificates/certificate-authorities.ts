import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ObjectReference } from '../../kinds/gateway-api.ts'
import type { ReferenceOrigin } from '../grants/reference-grants.ts'
import { resolveReference, type UnresolvedReference } from './certificate-reference.ts'
import { pemCertificates, decodedSecret } from './pem.ts'
import type { CertificateError } from './secret-key-pair.ts'

/** The certificates of several references, and those that lead nowhere. */
export interface CertificateAuthorities {
  /** Empty if no reference leads to a certificate. */
  readonly rootPem: string
  readonly unresolved: readonly UnresolvedReference[]
}

/** The certificate authorities that references to ConfigMaps and Secrets lead to. */
export const referencedAuthorities = (
  reads: GraphReads,
  from: ReferenceOrigin,
  references: readonly ObjectReference[],
): CertificateAuthorities => {
  const bundles: string[] = []
  const unresolved: UnresolvedReference[] = []
  for (const reference of references) {
    const resolved = resolveReference(reads, from, reference, ['ConfigMap', 'Secret'])
    if ('problem' in resolved) {
      unresolved.push(resolved)
      continue
    }
    const bundle = reads.query(authorityBundle, `${resolved.kind}/${resolved.key}`)
    if ('error' in bundle) unresolved.push({ problem: 'invalid', message: bundle.error })
    else bundles.push(bundle.rootPem)
  }
  return { rootPem: [...new Set(bundles)].join('\n'), unresolved }
}

/** The certificates under `ca.crt`. Key: the kind, `ConfigMap` or `Secret`, a slash and the key of the object. */
export const authorityBundle: Query<{ readonly rootPem: string } | CertificateError> = defineQuery(
  'authorityBundle',
  (reads, kindAndKey) => {
    const text = authorityText(reads, kindAndKey)
    if (text === undefined) return { error: `${kindAndKey.replace('/', ' ')} was not found` }
    const fail = (problem: string): CertificateError => ({
      error: `${kindAndKey.replace('/', ' ')}: ca.crt ${problem}`,
    })
    if (text.trim() === '') return fail('is missing or empty')
    try {
      const certificates = pemCertificates(text)
      return certificates.length > 0 ? { rootPem: certificates.join('\n') } : fail('has no PEM certificate')
    } catch {
      return fail('has a certificate that cannot be parsed')
    }
  },
)

const authorityText = (reads: GraphReads, kindAndKey: string): string | undefined => {
  const slash = kindAndKey.indexOf('/')
  const key = kindAndKey.slice(slash + 1)
  if (kindAndKey.slice(0, slash) === 'Secret') {
    const secret = reads.object('Secret', key)
    return secret && decodedSecret(secret.data?.['ca.crt'] ?? '')
  }
  const configMap = reads.object('ConfigMap', key)
  return configMap && (configMap.data?.['ca.crt'] ?? decodedSecret(configMap.binaryData?.['ca.crt'] ?? ''))
}
