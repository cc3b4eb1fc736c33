import type { PolicyTarget } from '../model/resources/policy-target.ts'
import type { TargetedPolicy } from '../model/resources/resources.ts'
import { sortedByPrecedence } from './resource-precedence.ts'

/** Policies by what they are attached to. */
export class AttachedPolicies {
  readonly #byTarget = new Map<string, TargetedPolicy[]>()

  constructor(policies: readonly TargetedPolicy[]) {
    // The inner ones are last. Those without a precedence remain in the order of the list, before the others.
    const [made, listed] = [policies.filter(hasPrecedence), policies.filter((one) => !hasPrecedence(one))]
    for (const policy of [...listed, ...sortedByPrecedence(made).toReversed()]) {
      const key = targetKey(policy.target)
      const known = this.#byTarget.get(key)
      if (known) known.push(policy)
      else this.#byTarget.set(key, [policy])
    }
  }

  /**
   * The policies of one phase that apply to a resource, outer ones first.
   *
   * @param keys What they are attached to, as by {@link targetKey}.
   * @param nearness How closely a target fits the resource; 0 if it does not.
   */
  to(
    keys: readonly string[],
    phase: TargetedPolicy['phase'],
    nearness: (target: PolicyTarget) => number = () => 1,
  ): readonly TargetedPolicy[] {
    const attached = keys.flatMap((key) => this.#byTarget.get(key) ?? none)
    if (attached.length === 0) return none
    return attached
      .flatMap((policy) => {
        const near = policy.phase === phase ? nearness(policy.target) : 0
        return near > 0 ? [{ policy, near }] : []
      })
      .sort((a, b) => a.near - b.near)
      .map(({ policy }) => policy)
  }
}

/** The resource that a target names. What narrows a target further is left to nearness. */
export const targetKey = (target: NamedTarget): string => {
  switch (target.kind) {
    case 'gateway':
    case 'listenerSet':
    case 'route':
      return `${target.kind} ${target.namespace}/${target.name}`
    case 'backend':
      return `backend ${target.key}`
    case 'service':
      return `service ${target.name.toLowerCase()}`
  }
}

/** A target without what narrows it. */
type NamedTarget =
  | {
      readonly kind: 'gateway' | 'listenerSet' | 'route'
      readonly namespace: string
      readonly name: string
    }
  | { readonly kind: 'backend'; readonly key: string }
  | { readonly kind: 'service'; readonly name: string }

const hasPrecedence = ({ precedence }: TargetedPolicy): boolean => precedence !== undefined

const none: readonly TargetedPolicy[] = []
