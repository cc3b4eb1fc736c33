import type { Condition } from '../../kinds/object.ts'

/** A condition as the translation makes it. The time of its last transition is added when it is written. */
export type StatusCondition = Omit<Condition, 'observedGeneration' | 'lastTransitionTime'>

/** A condition of a status, for the generation that was evaluated. */
export type ObservedCondition = StatusCondition & { readonly observedGeneration: number }

/** Adds the generation to conditions. */
export const observedConditions = (
  conditions: readonly StatusCondition[],
  generation: number | undefined,
): readonly ObservedCondition[] =>
  conditions.map((condition) => ({ ...condition, observedGeneration: generation ?? 0 }))
