import type { GraphReads } from '../../graph/query.ts'
import type { NamespaceSelection } from '../../kinds/gateway-api.ts'
import type { LabelSelector } from '../../kinds/object.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { attempt } from '../attempt.ts'

/** Namespaces whose objects may attach. */
export interface AllowedNamespaces {
  readonly from: 'All' | 'Selector' | 'Same' | 'None'
  /** Present with `Selector`. */
  readonly selector?: LabelSelector
  /** The namespace that is meant by `Same`. */
  readonly namespace: string
}

/** The namespaces of a selection with its default. */
export const allowedNamespaces = (
  selection: NamespaceSelection | undefined,
  defaultFrom: 'Same' | 'None',
  namespace: string,
): AllowedNamespaces => {
  const from = selection?.from ?? defaultFrom
  return from === 'Selector' && selection?.selector
    ? { from, selector: selection.selector, namespace }
    : { from, namespace }
}

/** Whether objects of a namespace may attach. A selection by `Selector` without a selector, or with a malformed one, allows nothing. */
export const isNamespaceAllowed = (
  reads: GraphReads,
  { from, selector, namespace: own }: AllowedNamespaces,
  namespace: string,
): boolean => {
  switch (from) {
    case 'All':
      return true
    case 'Same':
      return namespace === own
    case 'Selector':
      return (
        selector !== undefined &&
        attempt(() => matchesLabels(namespaceLabels(reads, namespace), selector)).value === true
      )
    default:
      return false
  }
}

/** The labels of a namespace. The API server sets that of the name; an object that was written before it did may lack it. */
export const namespaceLabels = (reads: GraphReads, namespace: string): Readonly<Record<string, string>> => ({
  ...reads.object('Namespace', namespace)?.metadata.labels,
  'kubernetes.io/metadata.name': namespace,
})
