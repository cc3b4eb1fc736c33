import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { groupByLabels, type LabelledObjects, selectLabelled } from '../../kinds/labelled-objects.ts'
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
  const candidates = selectLabelled(reads.query(labelledServices, namespaces ? '' : namespace), services)
  const isIn = new Map<string, boolean>()
  const isSelected = (name: string): boolean => {
    if (!namespaces) return true
    const known = isIn.get(name) ?? matchesLabels(namespaceLabels(reads, name), namespaces)
    isIn.set(name, known)
    return known
  }
  const needsGrant = reads.settings.backendGrants === 'route-and-policy'
  const origin = { group: 'agentgateway.dev', kind: 'ProxyBackend', namespace }
  return candidates
    .filter((one) => isSelected(one.namespace))
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
const labelledServices: Query<LabelledObjects<LabelledService>> = defineQuery(
  'labelledServices',
  (reads, namespace) =>
    groupByLabels(
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
    ),
)

/** By namespace, and all under the empty one. Most Services of a cluster have no application protocols. */
const servicesWithProtocols = defineIndex('Service', 'withProtocols', ({ metadata, spec }) =>
  spec?.type !== 'ExternalName' && (spec?.ports ?? []).some(({ appProtocol }) => appProtocol !== undefined)
    ? ['', metadata.namespace ?? '']
    : [],
)
