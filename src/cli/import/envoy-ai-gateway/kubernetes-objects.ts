import type { Position } from '../../../config/document/document.ts'
import type { SourceValue } from '../source-value.ts'

/** A document of Kubernetes. */
export interface KubernetesObject {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly at: Position
  readonly spec: SourceValue | undefined
  readonly source: SourceValue
}

/** Documents of Kubernetes, also those within a `List`. */
export class KubernetesObjects {
  readonly all: readonly KubernetesObject[]

  constructor(documents: readonly SourceValue[]) {
    this.all = documents.flatMap(objectsOf)
  }

  ofKind(...kinds: readonly string[]): readonly KubernetesObject[] {
    return this.all.filter(({ kind }) => kinds.includes(kind))
  }

  /** The object that a reference of another object names. */
  find(kind: string, name: string | undefined, namespace: string): KubernetesObject | undefined {
    return this.all.find((one) => one.kind === kind && one.name === name && one.namespace === namespace)
  }

  /** Policies that are attached to an object. */
  attached(kind: string, target: KubernetesObject): readonly KubernetesObject[] {
    return this.ofKind(kind).filter(
      ({ namespace, spec }) =>
        namespace === target.namespace &&
        referencesOf(spec).some(
          (reference) =>
            reference.field('kind')?.text === target.kind && reference.field('name')?.text === target.name,
        ),
    )
  }
}

/** `targetRefs`, or the older `targetRef`. */
export const referencesOf = (spec: SourceValue | undefined): readonly SourceValue[] => {
  const one = spec?.field('targetRef')
  const references = [...(spec?.field('targetRefs')?.items ?? []), ...(one ? [one] : [])]
  for (const reference of references) for (const name of ['group', 'kind', 'name']) reference.field(name)
  return references
}

const objectsOf = (source: SourceValue): readonly KubernetesObject[] => {
  const kind = source.field('kind')?.text
  source.field('apiVersion')
  if (kind === 'List') {
    source.field('metadata')?.ignore()
    return (source.field('items')?.items ?? []).flatMap(objectsOf)
  }
  const metadata = source.field('metadata')
  source.field('status')?.ignore()
  if (kind === undefined) return []
  const name = metadata?.field('name')?.text ?? ''
  const namespace = metadata?.field('namespace')?.text ?? 'default'
  metadata?.ignore()
  return [
    { kind, namespace, name, at: source.field('kind')?.at ?? source.at, spec: source.field('spec'), source },
  ]
}
