import { jsonObjectIn } from '../../protocols/json/json-object.ts'
import type { LlmStreamReport } from './report.ts'

/** Checks that no figure of a usage decreases from one report to the next, whatever its name. */
export class LlmStreamUsage {
  readonly #report: LlmStreamReport
  readonly #highest = new Map<string, number>()

  constructor(report: LlmStreamReport) {
    this.#report = report
  }

  /** @param usage The usage of an event; null and undefined are ignored. */
  look(usage: unknown, path = 'usage'): void {
    if (usage === undefined || usage === null) return
    const figures = jsonObjectIn(usage)
    if (!figures) {
      this.#report.add('shape', `${path} is not an object`)
      return
    }
    for (const [name, value] of Object.entries(figures)) this.#figure(`${path}.${name}`, value)
  }

  #figure(path: string, value: unknown): void {
    if (jsonObjectIn(value)) {
      this.look(value, path)
      return
    }
    if (typeof value !== 'number') return
    const before = this.#highest.get(path) ?? 0
    if (value < before) this.#report.add('usage', `${path} goes down from ${before} to ${value}`)
    else this.#highest.set(path, value)
  }
}
