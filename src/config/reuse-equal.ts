import { isDeepStrictEqual } from 'node:util'
import { listDifference, sameItems } from '../model/resources/list-difference.ts'
import type { Bind, Listener, Resources, RouteGroup, TargetedPolicy } from '../model/resources/resources.ts'

/**
 * The same resources, with the objects of the configuration before wherever those are equal. A file that is read again
 * makes new objects for all of it, and what is compiled is recognised by identity. Yields after each resource.
 *
 * Where a resource is written in the file does not count: a line that is added above moves all that follow.
 */
export function* reuseEqual(before: Resources | undefined, now: Resources): Generator<undefined, Resources> {
  if (!before || before === now) return now
  const knownBinds = new Map(before.binds.map((bind) => [bind.key, bind]))
  const binds: Bind[] = []
  for (const bind of now.binds) binds.push(yield* reuseEqualBind(knownBinds.get(bind.key), bind))
  return {
    ...now,
    binds,
    backends: yield* reuseEach(before.backends, now.backends, ({ key }) => key),
    policies: yield* reuseEach(before.policies, now.policies, policyKey),
    routeGroups: yield* reuseEqualGroups(before.routeGroups, now.routeGroups),
    services: yield* reuseEach(before.services, now.services, (one) => `${one.namespace}/${one.hostname}`),
    workloads: yield* reuseEach(before.workloads, now.workloads, ({ uid }) => uid),
  }
}

function* reuseEqualBind(before: Bind | undefined, now: Bind): Generator<undefined, Bind> {
  if (!before || before === now) return now
  const known = new Map(before.listeners.map((listener) => [listener.key, listener]))
  const listeners: Listener[] = []
  for (const listener of now.listeners)
    listeners.push(yield* reuseEqualListener(known.get(listener.key), listener))
  const reused = sameItems(listeners, before.listeners) ? before.listeners : listeners
  return reuseOwner(before, { ...now, listeners: reused }, ['listeners'])
}

function* reuseEqualListener(before: Listener | undefined, now: Listener): Generator<undefined, Listener> {
  if (!before || before === now) return now
  const routes = yield* reuseEach(before.routes, now.routes, ({ key }) => key)
  const tcpRoutes = yield* reuseEach(before.tcpRoutes, now.tcpRoutes, ({ key }) => key)
  const udpRoutes =
    now.udpRoutes && (yield* reuseEach(before.udpRoutes ?? [], now.udpRoutes, ({ key }) => key))
  const policies = isDeepStrictEqual(before.policies, now.policies) ? before.policies : now.policies
  const own = { ...now, policies, routes, tcpRoutes, ...(udpRoutes && { udpRoutes }) }
  return reuseOwner(before, own, ['policies', 'routes', 'tcpRoutes', 'udpRoutes'])
}

function* reuseEqualGroups(
  before: readonly RouteGroup[],
  now: readonly RouteGroup[],
): Generator<undefined, readonly RouteGroup[]> {
  const known = new Map(before.map((group) => [group.name, group]))
  const groups: RouteGroup[] = []
  for (const group of now) {
    const other = known.get(group.name)
    const routes = yield* reuseEach(other?.routes ?? [], group.routes, ({ key }) => key)
    groups.push(other?.routes === routes ? other : { ...group, routes })
  }
  return sameItems(groups, before) ? before : groups
}

/** One policy may be attached to several targets. */
const policyKey = ({ namespace, name, phase, target }: TargetedPolicy): string =>
  `${namespace}/${name} ${phase} ${JSON.stringify(target)}`

/** @param reused Fields whose objects are reused already: these are compared by identity. */
const reuseOwner = <T extends object>(before: T, now: T, reused: readonly (keyof T)[]): T => {
  const without = Object.fromEntries(reused.map((name) => [name, undefined]))
  const isSame =
    reused.every((name) => before[name] === now[name]) &&
    isEqual({ ...before, ...without }, { ...now, ...without })
  return isSame ? before : now
}

/** @returns The list before, if it has the same items. */
function* reuseEach<T extends object>(
  before: readonly T[],
  now: readonly T[],
  keyOf: (one: T) => string,
): Generator<undefined, readonly T[]> {
  // After an update, all but a few are the same objects: names of 10,000 would take milliseconds.
  const { start, endBefore, endNow } = listDifference(before, now)
  if (start === endBefore && start === endNow) return before
  const known = new Map(before.slice(start, endBefore).map((one) => [keyOf(one), one]))
  const reused = [...now]
  for (let i = start; i < endNow; i++) {
    const one = now[i] as T
    const other = known.get(keyOf(one))
    if (other !== undefined && isEqual(other, one)) reused[i] = other
    yield
  }
  return sameItems(reused, before) ? before : reused
}

const isEqual = (a: object, b: object): boolean =>
  a === b || isDeepStrictEqual({ ...a, origin: undefined }, { ...b, origin: undefined })
