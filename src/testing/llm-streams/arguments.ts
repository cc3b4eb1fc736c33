import { readJsonObject } from '../../protocols/json/read-json.ts'
import type { LlmStreamReport } from './report.ts'

/**
 * Keeps violations in tool call arguments until the finish reason is known: if the model was cut short, its arguments
 * may be incomplete.
 */
export class LlmStreamArguments {
  readonly #report: LlmStreamReport
  readonly #wrong: { readonly message: string; readonly event: number }[] = []

  constructor(report: LlmStreamReport) {
    this.#report = report
  }

  /** Checks the arguments of a tool call that is complete in the stream. */
  look(tool: string, text: string): void {
    if (readJsonObject(text)) return
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
    this.#wrong.push({
      message: `the arguments of ${tool} are no JSON object: ${shown || 'nothing'}`,
      event: this.#report.event,
    })
  }

  /** Reports the violations: the model was not cut short. */
  complete(): void {
    for (const { message, event } of this.#wrong) this.#report.add('arguments', message, event)
    this.#wrong.length = 0
  }
}
