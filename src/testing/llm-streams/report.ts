/**
 * What a stream can do wrong:
 *
 * - `framing`: what comes is not whole events with a JSON object each.
 * - `name`: an event is not called what it is.
 * - `known`: nobody knows this kind of event, block or part.
 * - `shape`: a field is missing, or of the wrong type.
 * - `start`: it does not begin once, and first.
 * - `order`: something is not open when it is spoken of, or is left open.
 * - `index`: things are not numbered one after the other from 0.
 * - `delta`: what comes does not fit into what is open.
 * - `arguments`: those of a tool call do not make a JSON object.
 * - `agreement`: what is said at an end is not what was said on the way.
 * - `finish`: why the model stopped is missing, unknown, or unlikely.
 * - `usage`: a figure goes down.
 * - `identity`: an id or a name changes, or is used twice.
 * - `sequence`: events are not numbered one after the other from 0.
 * - `end`: the end is missing, comes twice, or is not the last.
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
   * The event with the violation, counted from 0; what is missing at the end is reported for the event that would come
   * next.
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

/** The rules for streams of one format. */
export interface LlmFormatValidator {
  event(name: string | undefined, data: Record<string, unknown>): void
  /** `[DONE]` came. Formats without it leave it out. */
  done?(): void
  /** The stream is over. */
  end(): void
}

/** Any value, as messages show it. */
export const truncated = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
