import { defer, filter, merge, type Observable, share } from 'rxjs'
import { type Kind, kinds, watchedKinds } from '../kinds/kinds.ts'
import type { LabelSelector } from '../kinds/object.ts'
import type { Change } from './change.ts'
import { inDiscoveryNamespaces } from './discovery-namespaces.ts'
import { reflect } from './reflect.ts'
import type { ReflectorOptions } from './reflector-source.ts'

/** What of a cluster is reflected. */
export interface ReflectedCluster extends Omit<ReflectorOptions, 'definitions$'> {
  /** The kinds that are watched; those without a feature by default. */
  readonly watched?: readonly Kind[]
  /** Namespaces whose objects count; all if empty. */
  readonly discoveryNamespaces: readonly LabelSelector[]
  /** The namespace of the control plane. */
  readonly ownNamespace?: string
}

/** All changes of all kinds: one reflector each, whose objects pass the selection of namespaces. */
export const clusterChanges = (options: ReflectedCluster): Observable<Change> =>
  defer(() => {
    const definitions$ = reflect('CustomResourceDefinition', options).pipe(share())
    const { watched = watchedKinds() } = options
    const others = watched.filter((kind) => kind !== 'CustomResourceDefinition')
    const reflectOther = (kind: Kind): Observable<Change> =>
      reflect(kind, {
        ...options,
        definitions$: definitions$.pipe(
          filter((change) => change.type !== 'synced' && isOf(kind, change.key)),
        ),
      }) as Observable<Change>
    return merge(...others.map(reflectOther), definitions$ as Observable<Change>).pipe(
      inDiscoveryNamespaces(options.discoveryNamespaces, options.ownNamespace),
    )
  })

/** Definitions are named after what they define. */
const isOf = (kind: Kind, name: string): boolean => name === `${kinds[kind].plural}.${kinds[kind].group}`
