import { isDeepStrictEqual } from 'node:util'
import { listDifference, sameItems } from '../model/resources/list-difference.ts'
import type { Bind, Listener, Resources, RouteGroup, TargetedPolicy } from '../model/resources/resources.ts'

/**
 * The same resources, with the objects of the configuration before wherever those are equal. A file that is read again
 * makes new objects for all of it, and what is compiled is recognised by identity. Yields after each resource.
 *
 * Where a resource is written in the file does not count: a line that is added above moves all that follow.
 */
export function* takeEqual(before: Resources | undefined, now: Resources): Generator<undefined, Resources> {
  if (!before || before === now) return now
  const knownBinds = new Map(before.binds.map((bind) => [bind.key, bind]))
  const binds: Bind[] = []
  for (const bind of now.binds) binds.push(yield* takeEqualBind(knownBinds.get(bind.key), bind))
  return {
    ...now,
    binds,
    backends: yield* takeEach(before.backends, now.backends, ({ key }) => key),
    policies: yield* takeEach(before.policies, now.policies, policyKey),
    routeGroups: yield* takeEqualGroups(before.routeGroups, now.routeGroups),
    services: yield* takeEach(before.services, now.services, (one) => `${one.namespace}/${one.hostname}`),
    workloads: yield* takeEach(before.workloads, now.workloads, ({ uid }) => uid),
  }
}

function* takeEqualBind(before: Bind | undefined, now: Bind): Generator<undefined, Bind> {
  if (!before || before === now) return now
  const known = new Map(before.listeners.map((listener) => [listener.key, listener]))
  const listeners: Listener[] = []
  for (const listener of now.listeners)
    listeners.push(yield* takeEqualListener(known.get(listener.key), listener))
  const taken = sameItems(listeners, before.listeners) ? before.listeners : listeners
  return takeOwner(before, { ...now, listeners: taken }, ['listeners'])
}

function* takeEqualListener(before: Listener | undefined, now: Listener): Generator<undefined, Listener> {
  if (!before || before === now) return now
  const routes = yield* takeEach(before.routes, now.routes, ({ key }) => key)
  const tcpRoutes = yield* takeEach(before.tcpRoutes, now.tcpRoutes, ({ key }) => key)
  const policies = isDeepStrictEqual(before.policies, now.policies) ? before.policies : now.policies
  return takeOwner(before, { ...now, policies, routes, tcpRoutes }, ['policies', 'routes', 'tcpRoutes'])
}

function* takeEqualGroups(
  before: readonly RouteGroup[],
  now: readonly RouteGroup[],
): Generator<undefined, readonly RouteGroup[]> {
  const known = new Map(before.map((group) => [group.name, group]))
  const groups: RouteGroup[] = []
  for (const group of now) {
    const other = known.get(group.name)
    const routes = yield* takeEach(other?.routes ?? [], group.routes, ({ key }) => key)
    groups.push(other?.routes === routes ? other : { ...group, routes })
  }
  return sameItems(groups, before) ? before : groups
}

/** One policy may be attached to several targets. */
const policyKey = ({ namespace, name, phase, target }: TargetedPolicy): string =>
  `${namespace}/${name} ${phase} ${JSON.stringify(target)}`

/** @param taken Fields that have been taken already: these are compared by identity. */
const takeOwner = <T extends object>(before: T, now: T, taken: readonly (keyof T)[]): T => {
  const without = Object.fromEntries(taken.map((name) => [name, undefined]))
  const isSame =
    taken.every((name) => before[name] === now[name]) &&
    isEqual({ ...before, ...without }, { ...now, ...without })
  return isSame ? before : now
}

/** @returns The list before, if it has the same items. */
function* takeEach<T extends object>(
  before: readonly T[],
  now: readonly T[],
  keyOf: (one: T) => string,
): Generator<undefined, readonly T[]> {
  // After an update, all but a few are the same objects: names of 10,000 would take milliseconds.
  const { start, endBefore, endNow } = listDifference(before, now)
  if (start === endBefore && start === endNow) return before
  const known = new Map(before.slice(start, endBefore).map((one) => [keyOf(one), one]))
  const taken = [...now]
  for (let i = start; i < endNow; i++) {
    const one = now[i] as T
    const other = known.get(keyOf(one))
    if (other !== undefined && isEqual(other, one)) taken[i] = other
    yield
  }
  return sameItems(taken, before) ? before : taken
}

const isEqual = (a: object, b: object): boolean =>
  a === b || isDeepStrictEqual({ ...a, origin: undefined }, { ...b, origin: undefined })
