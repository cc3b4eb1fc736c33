import type { StatusCondition } from '../status/status-condition.ts'

/** Why a condition of a listener is not as it should be. */
export interface ListenerProblem {
  readonly reason: string
  readonly message: string
}

/** What was found about a listener. Absent parts are in order. */
export interface ListenerFindings {
  readonly notAccepted?: ListenerProblem | undefined
  readonly conflicted?: ListenerProblem | undefined
  readonly notProgrammed?: ListenerProblem | undefined
  readonly unresolvedRefs?: ListenerProblem | undefined
  readonly overlappingTls?: ListenerProblem | undefined
}

/** The conditions of a listener, sorted by type. */
export const listenerConditions = (findings: ListenerFindings): readonly StatusCondition[] => [
  positive('Accepted', findings.notAccepted),
  findings.conflicted
    ? { type: 'Conflicted', status: 'True', ...findings.conflicted }
    : { type: 'Conflicted', status: 'False', reason: 'NoConflicts', message: noErrors },
  // It must be absent where it does not apply.
  ...(findings.overlappingTls
    ? [{ type: 'OverlappingTLSConfig', status: 'True' as const, ...findings.overlappingTls }]
    : []),
  positive('Programmed', findings.notProgrammed),
  positive('ResolvedRefs', findings.unresolvedRefs),
]

const noErrors = 'No errors found'

const positive = (type: string, problem: ListenerProblem | undefined): StatusCondition =>
  problem ? { type, status: 'False', ...problem } : { type, status: 'True', reason: type, message: noErrors }
