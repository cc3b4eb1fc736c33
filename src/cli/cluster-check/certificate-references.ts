import type { CheckScope } from './check-scope.ts'
import { objectText } from './cluster-finding.ts'
import type { ClusterObject, ListenerSpec, Reference } from './cluster-objects.ts'

/** A Secret or ConfigMap with certificates, and what refers to it. */
export interface CertificateReference {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
  /** A chain, or authorities of which one that is valid is enough. */
  readonly field: 'tls.crt' | 'ca.crt'
  readonly user: string
}

/** The certificates that Gateways, ListenerSets and policies refer to. */
export const certificateReferences = (
  { gateways, listenerSets }: Pick<CheckScope, 'gateways' | 'listenerSets'>,
  backendPolicies: readonly ClusterObject[],
): readonly CertificateReference[] => [
  ...gateways.flatMap(ofGateway),
  ...listenerSets.flatMap((set) => ofListeners('ListenerSet', set)),
  ...backendPolicies.flatMap((policy) =>
    references(
      policy.spec?.validation?.caCertificateRefs ?? [],
      'ca.crt',
      policy,
      objectText({ kind: 'BackendTLSPolicy', ...policy.metadata }),
    ),
  ),
]

const ofGateway = (gateway: ClusterObject): readonly CertificateReference[] => {
  const { backend, frontend } = gateway.spec?.tls ?? {}
  const user = objectText({ kind: 'Gateway', ...gateway.metadata })
  const client = backend?.clientCertificateRef
  const validations = [frontend?.default, ...(frontend?.perPort ?? []).map(({ tls }) => tls)]
  return [
    ...ofListeners('Gateway', gateway),
    ...references(client ? [client] : [], 'tls.crt', gateway, user),
    ...validations.flatMap((one) =>
      references(one?.validation?.caCertificateRefs ?? [], 'ca.crt', gateway, user),
    ),
  ]
}

const ofListeners = (kind: string, object: ClusterObject): readonly CertificateReference[] =>
  (object.spec?.listeners ?? [])
    .filter(isTerminating)
    .flatMap(({ name, tls }) =>
      references(
        tls?.certificateRefs ?? [],
        'tls.crt',
        object,
        `${objectText({ kind, ...object.metadata })}, listener ${name}`,
      ),
    )

const isTerminating = ({ tls }: ListenerSpec): boolean => tls?.mode !== 'Passthrough'

const references = (
  all: readonly Reference[],
  field: CertificateReference['field'],
  { metadata }: ClusterObject,
  user: string,
): readonly CertificateReference[] =>
  all.flatMap(({ kind = 'Secret', name, namespace = metadata.namespace ?? '' }) =>
    kind === 'Secret' || kind === 'ConfigMap' ? [{ kind, namespace, name, field, user }] : [],
  )
