/** What has to be done; a promise if it takes its time. */
export type Work = () => void | Promise<void>

/** Does one thing after the other, in order. What can be done at once is. */
export class WorkLine {
  readonly #limitBytes: number
  readonly #broke: (problem: unknown) => void
  #waiting: { readonly work: Work; readonly bytes: number }[] = []
  #bytes = 0
  #isBusy = false
  #isOver = false
  #resume: (() => void) | undefined = undefined

  /**
   * @param limitBytes So much may wait.
   * @param broke Told what some work threw, which was the last then.
   */
  constructor(limitBytes: number, broke: (problem: unknown) => void) {
    this.#limitBytes = limitBytes
    this.#broke = broke
  }

  /** @param bytes What it keeps in memory until it is done. */
  push(work: Work, bytes: number): void {
    if (this.#isOver) return
    this.#waiting.push({ work, bytes: bytes + LEAST_BYTES })
    this.#bytes += bytes + LEAST_BYTES
    if (!this.#isBusy) this.#next()
  }

  /** Calls once no more waits than may: at once, or later. */
  whenFree(resume: () => void): void {
    if (this.#isOver || this.#bytes <= this.#limitBytes) resume()
    else this.#resume = resume
  }

  /** What waits is forgotten. */
  stop(): void {
    this.#isOver = true
    this.#waiting = []
    this.#freed()
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && !this.#isBusy; first = this.#waiting[0]) {
      const { work, bytes } = first
      this.#waiting.shift()
      const done = () => {
        this.#isBusy = false
        this.#bytes -= bytes
        if (this.#bytes <= this.#limitBytes) this.#freed()
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
    this.#broke(problem)
  }

  #freed(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }
}

/** Of what waits, however small it is. */
const LEAST_BYTES = 256
