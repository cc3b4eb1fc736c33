import { printable } from './stdio-printable.ts'

/** A line for the log. */
export interface StdioLine {
  readonly target: string
  /** 0 if there was no process. */
  readonly pid: number
  readonly text: string
  /** Whose words they are: stdout is what was no JSON-RPC, gateway is a remark on the child. */
  readonly from: 'stderr' | 'stdout' | 'gateway'
}

/** Lines of one child on their way to the log: of each second only so many, so that a child that floods stops nobody. */
export class StdioLog {
  readonly #target: string
  readonly #perSecond: number
  readonly #log: (line: StdioLine) => void
  #second = 0
  #lines = 0

  constructor(target: string, perSecond: number, log: (line: StdioLine) => void) {
    this.#target = target
    this.#perSecond = perSecond
    this.#log = log
  }

  /** Writes a line, if there is room for it in this second. */
  write(pid: number, from: StdioLine['from'], text: string): void {
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) {
      this.flush(pid)
      this.#second = second
    }
    if (++this.#lines <= this.#perSecond)
      this.#log({ target: this.#target, pid, text: printable(text), from })
  }

  /** Says how many lines were left out, if any were. */
  flush(pid: number): void {
    const missing = this.#lines - this.#perSecond
    this.#lines = 0
    if (missing > 0)
      this.#log({ target: this.#target, pid, text: `${missing} more lines were left out`, from: 'gateway' })
  }
}
