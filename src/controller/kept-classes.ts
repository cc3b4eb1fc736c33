import type { Gateway, GatewayClass } from './kinds/gateway-api.ts'
import type { Kind, Kinds } from './kinds/kinds.ts'
import type { ObjectTarget } from './streams/object-feed.ts'
import { attempt } from './translate/attempt.ts'

/**
 * Keeps a GatewayClass of ours in the graph that is gone from the cluster while Gateways use it: its finalizer prevents
 * that, and whoever removes it by force should not take the configuration of running proxies away. The class goes with
 * the last of its Gateways, or when another one has its name.
 */
export const keepUsedClasses = (target: ObjectTarget, controllerName: string): ObjectTarget => {
  const classes = new Map<string, GatewayClass>()
  /** The classes of Gateways, by the key of the Gateway. */
  const used = new Map<string, string>()
  const gone = new Set<string>()
  const forgetUnused = () => {
    if (gone.size === 0) return
    const names = new Set(used.values())
    for (const name of gone) {
      if (names.has(name)) continue
      gone.delete(name)
      classes.delete(name)
      target.delete('GatewayClass', name)
    }
  }
  return {
    set<K extends Kind>(kind: K, key: string, object: Kinds[K]): void {
      target.set(kind, key, object)
      if (kind === 'GatewayClass') {
        classes.set(key, object as GatewayClass)
        gone.delete(key)
      } else if (kind === 'Gateway') {
        used.set(key, attempt(() => (object as Gateway).spec.gatewayClassName).value ?? '')
        forgetUnused()
      }
    },
    delete(kind: Kind, key: string): void {
      const isOurs =
        kind === 'GatewayClass' &&
        attempt(() => classes.get(key)?.spec.controllerName).value === controllerName
      if (isOurs) gone.add(key)
      else target.delete(kind, key)
      if (kind === 'Gateway') used.delete(key)
      forgetUnused()
      if (kind === 'GatewayClass' && !gone.has(key)) classes.delete(key)
    },
  }
}
