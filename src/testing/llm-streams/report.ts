/**
 * The rules that a stream can violate:
 *
 * - `framing`: the stream is not a sequence of complete events with a JSON object each.
 * - `name`: the name of an event does not match its type.
 * - `known`: the type of event, block or part is unknown.
 * - `shape`: a field is missing, or of the wrong type.
 * - `start`: the first event is missing, late or repeated.
 * - `order`: an event refers to something that is not open, or something is left open.
 * - `index`: indices are not consecutive from 0.
 * - `delta`: a delta does not fit into what is open.
 * - `arguments`: the arguments of a tool call are no JSON object.
 * - `agreement`: the content of a final event differs from that of its deltas.
 * - `finish`: the finish reason is missing, unknown, or inconsistent.
 * - `usage`: a figure decreases.
 * - `identity`: an id or a name changes, or is used twice.
 * - `sequence`: event numbers are not consecutive from 0.
 * - `end`: the end is missing, repeated, or not last.
 */
export type LlmStreamRule =
  | 'framing'
  | 'name'
  | 'known'
  | 'shape'
  | 'start'
  | 'order'
  | 'index'
  | 'delta'
  | 'arguments'
  | 'agreement'
  | 'finish'
  | 'usage'
  | 'identity'
  | 'sequence'
  | 'end'

/** A violation in a stream. */
export interface LlmStreamViolation {
  readonly rule: LlmStreamRule
  /**
   * The index of the event with the violation, from 0; a missing end is reported for the event that would come next.
   */
  readonly event: number
  readonly message: string
}

/** Collects the violations of a stream. */
export class LlmStreamReport {
  readonly violations: LlmStreamViolation[] = []
  /** The current event. */
  event = 0

  add(rule: LlmStreamRule, message: string, event = this.event): void {
    this.violations.push({ rule, event, message })
  }
}

/** Validates streams of one format. */
export interface LlmFormatValidator {
  event(name: string | undefined, data: Record<string, unknown>): void
  /** `[DONE]` was received. Absent for formats without it. */
  done?(): void
  /** The stream is over. */
  end(): void
}

/** Any value as text, for messages. */
export const describeValue = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
