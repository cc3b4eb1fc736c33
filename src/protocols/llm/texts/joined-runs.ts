import type { TextScope } from '../../../operators/llm/guardrails/schema/normal-form.ts'
import type { TextLine } from './text-slot.ts'

/** A text that another one may continue. */
export interface Joinable {
  readonly role: string
  readonly scope: TextScope
  readonly line?: TextLine | undefined
}

/**
 * Finds the texts that a model reads as one although they are separate: the parts of a message, and consecutive messages
 * of one role. Each run has two indices of the list or more; no text is in two runs.
 *
 * @example
 * joinedRuns([part('forb'), part('idden')]) // [[0, 1]]
 */
export const joinedRuns = (slots: readonly Joinable[]): readonly (readonly number[])[] => {
  const runs: number[][] = []
  const open = new Map<string, number[]>()
  let last: TextLine | undefined
  for (const [at, { role, scope, line }] of slots.entries()) {
    if (!line) continue
    const continues = last?.group === line.group && (last.unit === line.unit || last.speaker === line.speaker)
    if (!continues) open.clear()
    last = line
    const key = `${role} ${scope} ${line.name}`
    const run = open.get(key)
    if (run) run.push(at)
    else {
      const made = [at]
      open.set(key, made)
      runs.push(made)
    }
  }
  return runs.filter((run) => run.length > 1)
}
