import type { Route } from '../../../model/resources/resources.ts'
import { fieldOf, mergeField, withoutLocked } from '../../merge-levels.ts'
import { policyRows } from '../../policies.ts'

/** What a route hands down to the routes of a group. */
export interface HandedDown {
  /** Equal for the same policies. */
  readonly key: string
  readonly policies: readonly object[]
  /** A route of the group with them. */
  readonly to: (route: Route) => Route
}

/** What a route hands down to the routes of its groups; undefined if nothing. */
export const handedDown = (outer: Route): HandedDown | undefined => {
  const policies = policyRows.flatMap(([name, { intoGroups }]): readonly (readonly [string, object])[] => {
    const policy = intoGroups && fieldOf(outer.policies, name)
    return policy === undefined ? [] : [[name, policy as object]]
  })
  const locked = [...(outer.lockedPolicies ?? [])].sort()
  if (policies.length === 0 && locked.length === 0) return undefined
  return {
    key: JSON.stringify([policies.map(([name, policy]) => [name, idOf(policy)]), locked]),
    policies: policies.map(([, policy]) => policy),
    to: (route) => handDown(outer, route),
  }
}

/**
 * A route of a group, with those policies of the delegating route that apply where messages are parsed, behind the
 * delegation. Its other policies apply before the delegation. Those that override have no counterpart behind it.
 */
export const handDown = (
  { policies: outer, lockedPolicies }: Pick<Route, 'policies' | 'lockedPolicies'>,
  route: Route,
): Route => {
  const inner = withoutLocked(route.policies, lockedPolicies)
  const handed = policyRows.flatMap(([name, { intoGroups, merge }]): [string, unknown][] => {
    const policy = fieldOf(outer, name)
    if (intoGroups === undefined || policy === undefined) return []
    const own = fieldOf(inner, name)
    if (own === undefined) return [[name, policy]]
    return [[name, intoGroups === 'merge' && merge ? mergeField(merge, policy, own) : own]]
  })
  const locked = new Set([...(lockedPolicies ?? []), ...(route.lockedPolicies ?? [])])
  return {
    ...route,
    policies: { ...inner, ...Object.fromEntries(handed) },
    ...(locked.size > 0 && { lockedPolicies: locked }),
  }
}

/** Policies that are the same object have the same number, for as long as there are any. */
const idOf = (policy: object): number => {
  const known = ids.get(policy)
  if (known !== undefined) return known
  const id = nextId++
  ids.set(policy, id)
  return id
}

const ids = new WeakMap<object, number>()
let nextId = 0
