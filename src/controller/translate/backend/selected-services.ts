import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { objectKey } from '../../kinds/object.ts'
import type { SelectedService, ServiceSelector } from '../../schema/backend-form.ts'
import { namespaceLabels } from '../namespaces/allowed-namespaces.ts'

/** The Services that a ProxyBackend selects, in the order of their keys. */
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
  return candidates
    .filter(({ labels }) => matchesLabels(labels, services))
    .map(({ labels: _, ...service }) => service)
}

type LabelledService = SelectedService & { readonly labels: Readonly<Record<string, string>> }

/** What backends read of Services. Key: a namespace; all of them if empty. */
const labelledServices: Query<readonly LabelledService[]> = defineQuery(
  'labelledServices',
  (reads, namespace) =>
    (namespace === '' ? reads.objects('Service') : reads.indexed(servicesByNamespace, namespace))
      .toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
      .filter(({ spec }) => spec?.type !== 'ExternalName')
      .map(({ metadata, spec }) => ({
        namespace: metadata.namespace ?? '',
        name: metadata.name,
        labels: metadata.labels ?? {},
        annotations: metadata.annotations ?? {},
        ports: (spec?.ports ?? []).map(({ name, port, appProtocol }) => ({
          ...(name === undefined ? {} : { name }),
          port,
          ...(appProtocol === undefined ? {} : { appProtocol }),
        })),
      })),
)

const servicesByNamespace = defineIndex('Service', 'namespaceOfSelected', ({ metadata }) => [
  metadata.namespace ?? '',
])
