import type { TextScope } from '../../../operators/llm/guardrails/schema/normal-form.ts'
import type { TextLine } from './text-slot.ts'

/** A text that may go on in another one. */
export interface Joinable {
  readonly role: string
  readonly scope: TextScope
  readonly line?: TextLine | undefined
}

/**
 * Which texts a model reads as one, although they stand in several places: the parts of a message, and messages of one
 * speaker that follow each other. Each run has two texts at least, by their places in the list; no text is in two.
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
