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
  /** How many Gateways use each class. */
  const uses = new Map<string, number>()
  const gone = new Set<string>()
  const use = (gateway: string, name: string | undefined) => {
    const before = used.get(gateway)
    if (before === name) return
    if (name === undefined) used.delete(gateway)
    else {
      used.set(gateway, name)
      uses.set(name, (uses.get(name) ?? 0) + 1)
    }
    if (before === undefined) return
    const left = (uses.get(before) ?? 1) - 1
    if (left > 0) uses.set(before, left)
    else {
      uses.delete(before)
      forgetIfUnused(before)
    }
  }
  const forgetIfUnused = (name: string) => {
    if (uses.has(name) || !gone.delete(name)) return
    classes.delete(name)
    target.delete('GatewayClass', name)
  }
  return {
    set<K extends Kind>(kind: K, key: string, object: Kinds[K]): void {
      target.set(kind, key, object)
      if (kind === 'GatewayClass') {
        classes.set(key, object as GatewayClass)
        gone.delete(key)
      } else if (kind === 'Gateway') {
        use(key, attempt(() => (object as Gateway).spec.gatewayClassName).value ?? '')
      }
    },
    delete(kind: Kind, key: string): void {
      const isOurs =
        kind === 'GatewayClass' &&
        attempt(() => classes.get(key)?.spec.controllerName).value === controllerName
      if (isOurs) {
        gone.add(key)
        forgetIfUnused(key)
      } else target.delete(kind, key)
      if (kind === 'Gateway') use(key, undefined)
      if (kind === 'GatewayClass' && !gone.has(key)) classes.delete(key)
    },
  }
}
