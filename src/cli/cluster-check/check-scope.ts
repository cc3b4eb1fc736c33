import { checkedKinds } from './checked-kinds.ts'
import { type ClusterObject, clusterKey, type Reference } from './cluster-objects.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { CommandFailure } from '../command-failure.ts'

/** The Gateways of the controller, and how references lead to them. */
export interface CheckScope {
  readonly reader: ClusterReader
  readonly controllerName: string
  /** All classes by name; undefined if the account may not read them: then every Gateway counts as ours. */
  readonly classes: ReadonlyMap<string, ClusterObject> | undefined
  /** Those of the namespace, or of all. */
  readonly gateways: readonly ClusterObject[]
  /** Gateways whose class does not exist: no controller looks at them. */
  readonly strays: readonly ClusterObject[]
  readonly listenerSets: readonly ClusterObject[]
  /**
   * Whether a Gateway or ListenerSet is the controller's; undefined if it does not exist. An HTTPRoute is nobody's: which
   * Gateways lead to it is for the controller to say.
   */
  readonly isOurs: (parent: Parent) => Promise<boolean | undefined>
}

/** An object that routes attach to, or that delegates to them. */
export interface Parent {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** Reads classes, Gateways and ListenerSets. */
export const openCheckScope = async (reader: ClusterReader, controllerName: string): Promise<CheckScope> => {
  const { GatewayClass, Gateway, ListenerSet, HTTPRoute } = checkedKinds
  const [allClasses, allGateways, sets = []] = await Promise.all([
    reader.list(GatewayClass),
    reader.list(Gateway),
    reader.list(ListenerSet),
  ])
  if (!allGateways) throw noGatewayApi(reader)
  const classes = allClasses && new Map(allClasses.map((one) => [one.metadata.name, one]))
  const isOurClass = (name = ''): boolean =>
    !classes || classes.get(name)?.spec?.controllerName === controllerName
  const known = new Map(
    [
      ...allGateways.map((one) => ['Gateway', one] as const),
      ...sets.map((one) => ['ListenerSet', one] as const),
    ].map(([kind, one]) => [`${kind} ${clusterKey(one)}`, one]),
  )
  const isOurs = async ({ kind, namespace, name }: Parent): Promise<boolean | undefined> => {
    const resource = kind === 'Gateway' ? Gateway : kind === 'HTTPRoute' ? HTTPRoute : ListenerSet
    const object =
      known.get(`${kind} ${namespace}/${name}`) ?? (await reader.object(resource, namespace, name))
    if (object === 'hidden') return false
    if (object === undefined) return undefined
    if (kind === 'HTTPRoute') return false
    if (kind === 'Gateway') return isOurClass(object.spec?.gatewayClassName)
    const { parentRef } = object.spec ?? {}
    if (!parentRef) return false
    return (await isOurs(parentOf(parentRef, namespace))) ?? false
  }
  const listenerSets: ClusterObject[] = []
  for (const set of sets) {
    const { namespace = '', name } = set.metadata
    if (await isOurs({ kind: 'ListenerSet', namespace, name })) listenerSets.push(set)
  }
  return {
    reader,
    controllerName,
    classes,
    gateways: allGateways.filter(
      ({ spec, metadata }) => metadata.deletionTimestamp === undefined && isOurClass(spec?.gatewayClassName),
    ),
    strays: allGateways.filter(({ spec }) => classes && !classes.has(spec?.gatewayClassName ?? '')),
    listenerSets,
    isOurs,
  }
}

/** What a `parentRef` of an object refers to. */
export const parentOf = ({ kind = 'Gateway', namespace, name }: Reference, own: string): Parent => ({
  kind,
  namespace: namespace ?? own,
  name,
})

/** Without Gateways there is nothing that could be checked. */
const noGatewayApi = ({ namespace, unchecked }: ClusterReader): CommandFailure => {
  const where = namespace === undefined ? 'in all namespaces' : `in namespace "${namespace}"`
  const refused = unchecked.find(({ subject }) => subject === checkedKinds.Gateway.plural)
  return refused
    ? new CommandFailure(`failed listing Gateways ${where}: ${refused.reason}`, {
        hint: '-n NAMESPACE checks a namespace that the account may read.',
      })
    : new CommandFailure(`failed listing Gateways ${where}: the Gateway API is not installed in this cluster`)
}
