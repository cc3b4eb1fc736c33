import type * as File from '../../../config/schema/file-types.gen.ts'
import { host } from '../../../config/format/address.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { BackendTLSPolicy, ObjectReference } from '../../kinds/gateway-api.ts'
import { proxyRefusal } from '../proxy-check.ts'
import type { StatusCondition } from '../status/status-condition.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'
import { authorityBundle } from '../certificates/certificate-authorities.ts'

/** A BackendTLSPolicy, wherever it is attached. */
export interface ValidatedTlsPolicy {
  /** With `invalid`, if connections must fail. */
  readonly tls: File.UpstreamTls
  /** Why the policy cannot be accepted anywhere. */
  readonly rejection: { readonly reason: string; readonly message: string } | undefined
  readonly resolvedRefs: StatusCondition
}

/** The TLS validation that a BackendTLSPolicy defines, by its key; undefined if there is none. */
export const validatedTlsPolicy: Query<ValidatedTlsPolicy | undefined> = defineQuery(
  'validatedTlsPolicy',
  (reads, key) => {
    const policy = reads.object('BackendTLSPolicy', key)
    return policy && validated(reads, policy)
  },
)

const validated = (reads: GraphReads, { metadata, spec }: BackendTLSPolicy): ValidatedTlsPolicy => {
  const { caCertificateRefs = [], wellKnownCACertificates } = spec.validation
  const found = caCertificateRefs.map((reference) => authority(reads, reference, metadata.namespace ?? ''))
  const bundles = found.flatMap((one) => ('pem' in one ? [one.pem] : []))
  const failures = found.flatMap((one) => ('pem' in one ? [] : [one]))
  const [failure] = failures
  const resolvedRefs: StatusCondition = failure
    ? {
        type: 'ResolvedRefs',
        status: 'False',
        reason: failure.reason,
        message: failures.map(({ message }) => message).join('; '),
      }
    : { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Configuration is valid' }
  const rejection =
    rejectionOf(caCertificateRefs.length, bundles.length, wellKnownCACertificates) ??
    proxyRejection(spec.validation)
  const tls = rejection
    ? { invalid: [rejection.message, ...failures.map(({ message }) => message)].join(': ') }
    : { ...(bundles.length > 0 ? { rootPem: bundles.join('\n') } : {}), ...serverIdentity(spec.validation) }
  return { tls, rejection, resolvedRefs }
}

type Authority =
  | { readonly pem: string }
  | { readonly reason: 'InvalidCACertificateRef' | 'InvalidKind'; readonly message: string }

const authority = (
  reads: GraphReads,
  { group = '', kind = '', name }: ObjectReference,
  namespace: string,
): Authority => {
  if (group !== '' || (kind !== 'ConfigMap' && kind !== 'Secret'))
    return {
      reason: 'InvalidKind',
      message: unsupportedKind(group, kind),
    }
  const bundle = reads.query(authorityBundle, `${kind}/${namespace}/${name}`)
  return 'error' in bundle
    ? { reason: 'InvalidCACertificateRef', message: bundle.error }
    : { pem: bundle.rootPem }
}

const rejectionOf = (
  references: number,
  bundles: number,
  wellKnown: string | undefined,
): ValidatedTlsPolicy['rejection'] => {
  if (references > 0)
    return bundles > 0
      ? undefined
      : { reason: 'NoValidCACertificate', message: 'No reference leads to valid CA certificates' }
  if (wellKnown === 'System') return undefined
  return {
    reason: 'Invalid',
    message:
      wellKnown === undefined
        ? 'caCertificateRefs or wellKnownCACertificates must be set'
        : `wellKnownCACertificates "${wellKnown}" is not supported`,
  }
}

/** A policy that proxies refuse would leave the Service without it, and so without TLS. */
const proxyRejection = (
  validation: BackendTLSPolicy['spec']['validation'],
): ValidatedTlsPolicy['rejection'] => {
  const { hostname } = validation
  const problem = host(hostname)
  if (problem) return { reason: 'Invalid', message: `hostname "${hostname}" ${problem.expectation}` }
  const refusal = proxyRefusal(
    xdsResource('policy', '', {
      name: { name: 'policy', namespace: 'default' },
      target: { backend: { service: { namespace: 'default', hostname: 'service' } } },
      policy: { backendTLS: serverIdentity(validation) },
    }),
  )
  return refusal === undefined ? undefined : { reason: 'Invalid', message: refusal }
}

const serverIdentity = ({
  hostname,
  subjectAltNames = [],
}: BackendTLSPolicy['spec']['validation']): File.UpstreamTls => {
  const names = subjectAltNames.flatMap(
    ({ type, hostname: name, uri }) => (type === 'URI' ? uri : name) ?? '',
  )
  return { hostname, ...(names.length > 0 ? { subjectAltNames: names } : {}) }
}
