import { Fault } from '../../../model/fault.ts'

/** Until when something has to have happened; one at a time. */
export class Deadline {
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param late Is told what has gone wrong then. */
  set(ms: number, late: (fault: Fault) => void): void {
    this.clear()
    this.#timer = setTimeout(() => {
      late(
        new Fault('upstream_timeout', 'upstream call timeout', {
          status: 504,
          reason: 'Timeout',
          cause: `no token within ${String(ms)} ms`,
        }),
      )
    }, ms)
  }

  /** It has happened, or nobody waits for it any more. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
