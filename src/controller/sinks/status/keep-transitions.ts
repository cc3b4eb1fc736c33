import type { Condition } from '../../kinds/object.ts'
import { conditionMessage } from './condition-message.ts'

/** A condition to be written. When its status changed is decided when it is written. */
export type DesiredCondition = Omit<Condition, 'lastTransitionTime'>

/** Conditions with the times when their statuses changed: those of before where the status is the same, else now. */
export const keepTransitions = (
  current: readonly Condition[] | undefined,
  desired: readonly DesiredCondition[] | undefined,
  now: string,
): readonly Condition[] =>
  (desired ?? []).map((condition) => {
    const before = current?.find(({ type }) => type === condition.type)
    const isSame = before?.status === condition.status && before.lastTransitionTime !== undefined
    const message = conditionMessage(condition.message)
    return { ...condition, message, lastTransitionTime: isSame ? before.lastTransitionTime : now }
  })
