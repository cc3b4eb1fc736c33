import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { objectKey } from '../../kinds/object.ts'
import type { SelectedService, ServiceSelector } from '../../schema/backend-form.ts'
import { isReferenceGranted } from '../grants/reference-grants.ts'
import { namespaceLabels } from '../namespaces/allowed-namespaces.ts'

/**
 * The Services that a ProxyBackend selects, in the order of their keys. Where references need grants, Services of other
 * namespaces do as well, and those without one are not seen at all.
 */
export const selectedServices = (
  reads: GraphReads,
  namespace: string,
  { namespaces, services = {} }: ServiceSelector,
): readonly SelectedService[] => {
  const candidates = namespaces
    ? reads
        .query(labelledServices, '')
        .filter((one) => matchesLabels(namespaceLabels(reads, one.namespace), namespaces))
    : reads.query(labelledServices, namespace)
  const needsGrant = reads.settings.backendGrants === 'route-and-policy'
  const origin = { group: 'agentgateway.dev', kind: 'ProxyBackend', namespace }
  return candidates
    .filter(({ labels }) => matchesLabels(labels, services))
    .filter(
      (one) =>
        !needsGrant ||
        isReferenceGranted(reads, origin, {
          group: '',
          kind: 'Service',
          namespace: one.namespace,
          name: one.name,
        }),
    )
    .map(({ labels: _, ...service }) => service)
}

type LabelledService = SelectedService & { readonly labels: Readonly<Record<string, string>> }

/** What backends read of Services. Key: a namespace; all of them if empty. */
const labelledServices: Query<readonly LabelledService[]> = defineQuery(
  'labelledServices',
  (reads, namespace) =>
    reads
      .indexed(servicesWithProtocols, namespace)
      .toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
      .map(({ metadata, spec }) => ({
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        createdAt: metadata.creationTimestamp ?? '',
        labels: metadata.labels ?? {},
        annotations: metadata.annotations ?? {},
        ports: (spec?.ports ?? [])
          .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
          .map(({ name, port, appProtocol }) => ({
            ...(name === undefined ? {} : { name }),
            port,
            ...(appProtocol === undefined ? {} : { appProtocol }),
          })),
      })),
)

/** By namespace, and all under the empty one. Most Services of a cluster have no application protocols. */
const servicesWithProtocols = defineIndex('Service', 'withProtocols', ({ metadata, spec }) =>
  spec?.type !== 'ExternalName' && (spec?.ports ?? []).some(({ appProtocol }) => appProtocol !== undefined)
    ? ['', metadata.namespace ?? '']
    : [],
)
