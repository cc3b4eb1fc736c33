/** A task; a promise if it is asynchronous. */
export type Task = () => void | Promise<void>

/** Runs tasks one after another, in order. A task runs at once if none is pending. */
export class SerialQueue {
  readonly #limitBytes: number
  readonly #onError: (problem: unknown) => void
  #pending: { readonly work: Task; readonly bytes: number }[] = []
  #bytes = 0
  #isBusy = false
  #isOver = false
  #resume: (() => void) | undefined = undefined

  /**
   * @param limitBytes Limit of the pending tasks.
   * @param onError Called with the error of a task, which stops the queue.
   */
  constructor(limitBytes: number, onError: (problem: unknown) => void) {
    this.#limitBytes = limitBytes
    this.#onError = onError
  }

  /** @param bytes Memory that the task uses until it is complete. */
  push(work: Task, bytes: number): void {
    if (this.#isOver) return
    this.#pending.push({ work, bytes: bytes + OVERHEAD_BYTES })
    this.#bytes += bytes + OVERHEAD_BYTES
    if (!this.#isBusy) this.#next()
  }

  /** Calls back once the pending tasks are within the limit: at once, or later. */
  whenFree(resume: () => void): void {
    if (this.#isOver || this.#bytes <= this.#limitBytes) resume()
    else this.#resume = resume
  }

  /** Drops the pending tasks. */
  stop(): void {
    this.#isOver = true
    this.#pending = []
    this.#signalFree()
  }

  #next(): void {
    for (let first = this.#pending[0]; first && !this.#isBusy; first = this.#pending[0]) {
      const { work, bytes } = first
      this.#pending.shift()
      const done = () => {
        this.#isBusy = false
        this.#bytes -= bytes
        if (this.#bytes <= this.#limitBytes) this.#signalFree()
      }
      this.#isBusy = true
      try {
        const later = work()
        if (!later) done()
        else
          later.then(() => {
            done()
            this.#next()
          }, this.#fail)
      } catch (problem) {
        this.#fail(problem)
      }
    }
  }

  readonly #fail = (problem: unknown): void => {
    if (this.#isOver) return
    this.stop()
    this.#onError(problem)
  }

  #signalFree(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }
}

/** Overhead of a pending task. */
const OVERHEAD_BYTES = 256
