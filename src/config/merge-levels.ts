import type { RoutePolicies } from '../model/resources/policies.ts'
import type { PolicyTarget } from '../model/resources/policy-target.ts'
import type { TargetedPolicy } from '../model/resources/resources.ts'
import { policyRows } from './policies.ts'
import type { PolicyRow } from './policy-row.ts'

/** Merged policies of some levels, and the names of those that inner levels leave as they are. */
export interface MergedPolicies {
  readonly policies: RoutePolicies
  readonly locked: ReadonlySet<string>
}

/** No policies, and none locked. */
export const noPolicies: MergedPolicies = { policies: {}, locked: new Set() }

/** Adds the attached policies of inner levels, outer ones first. */
export const mergeAttached = (outer: MergedPolicies, attached: readonly TargetedPolicy[]): MergedPolicies =>
  levelsOf(attached).reduce(mergeLevel, outer)

const mergeLevel = (outer: MergedPolicies, level: readonly TargetedPolicy[]): MergedPolicies => {
  const own = level.reduce<RoutePolicies>((merged, { policy }) => mergeLevels(merged, policy), {})
  // Of several at one level only those in force lock: precedence has decided between them.
  const locking = level
    .filter(({ inheritance }) => inheritance === 'override')
    .flatMap(({ policy }) =>
      Object.keys(policy).filter((name) => isIn(fieldOf(own, name), fieldOf(policy, name))),
    )
  return {
    policies: mergeInline(outer, own),
    locked: locking.length === 0 ? outer.locked : new Set([...outer.locked, ...locking]),
  }
}

/** Adds policies that are written inside the resource. */
export const mergeInline = <P extends object>({ policies, locked }: MergedPolicies, inner: P): P =>
  mergeLevels(policies as P, withoutLocked(inner, locked))

/** The policies of an inner level that outer ones leave to it. */
export const withoutLocked = <P extends object>(policies: P, locked: ReadonlySet<string> | undefined): P => {
  if (!locked?.size) return policies
  return Object.fromEntries(Object.entries(policies).filter(([name]) => !locked.has(name))) as P
}

/** Whether a policy is in force as it is, or one of those that are merged. */
const isIn = (merged: unknown, policy: unknown): boolean =>
  merged === policy ||
  (typeof merged === 'object' &&
    merged !== null &&
    mergedFrom(merged)?.some((part) => isIn(part, policy)) === true)

/** The policies of each level together; they are in order. */
const levelsOf = (attached: readonly TargetedPolicy[]): readonly (readonly TargetedPolicy[])[] => {
  const levels = new Map<string, TargetedPolicy[]>()
  for (const policy of attached) {
    const level = levelOf(policy.target)
    const known = levels.get(level)
    if (known) known.push(policy)
    else levels.set(level, [policy])
  }
  return [...levels.values()]
}

/** Ports of gateways and kinds of routes are no levels of their own. */
const levelOf = (target: PolicyTarget): string => {
  const isNarrowed =
    'listener' in target ||
    'ruleName' in target ||
    'section' in target ||
    (target.kind === 'service' && 'port' in target)
  return `${target.kind} ${String(isNarrowed)}`
}

/** Merges the policies of two levels: the inner one takes precedence, unless the row of the policy merges both. */
export const mergeLevels = <P extends object>(outer: P, inner: P): P => {
  if (isEmpty(outer)) return inner
  if (isEmpty(inner)) return outer
  const merged = { ...outer, ...inner } as Record<string, unknown>
  for (const [name, { merge }] of policyRows) {
    const [first, second] = [fieldOf(outer, name), fieldOf(inner, name)]
    if (merge && first !== undefined && second !== undefined) merged[name] = mergeField(merge, first, second)
  }
  return merged as P
}

/** A policy by the name of its kind. */
export const fieldOf = (policies: object, name: string): unknown =>
  (policies as Readonly<Record<string, unknown>>)[name]

/** Merges two policies of one kind, and remembers both. */
export const mergeField = (
  merge: NonNullable<PolicyRow['merge']>,
  outer: unknown,
  inner: unknown,
): unknown => {
  const merged = merge(outer as never, inner as never) // both are fields of this row
  if (typeof merged === 'object' && merged !== null) parts.set(merged, [outer, inner])
  return merged
}

/** The policies that a merged one was made of, outer ones first; undefined if it was not merged. */
export const mergedFrom = (policy: object): readonly unknown[] | undefined => parts.get(policy)

/** Weak: merged policies live as long as their configuration. */
const parts = new WeakMap<object, readonly unknown[]>()

/** Whether there are none. */
export const isEmpty = (policies: object): boolean => Object.keys(policies).length === 0
