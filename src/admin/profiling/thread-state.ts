import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads the CPU use of the main thread from Linux, from any thread.
 *
 * @throws The system's error if there is no `/proc`.
 */
export class MainThreadState {
  readonly #status: number
  readonly #times: number
  readonly #buffer = Buffer.alloc(512)

  constructor() {
    // The main thread has the id of its process.
    const folder = `/proc/self/task/${process.pid}`
    this.#status = openSync(`${folder}/stat`, 'r')
    this.#times = openSync(`${folder}/schedstat`, 'r')
  }

  /** Whether the thread runs or is ready to run. */
  get isRunning(): boolean {
    const text = this.#read(this.#status)
    // The state follows the name of the program, in parentheses; the name may contain some of its own.
    return text[text.lastIndexOf(')') + 2] === 'R'
  }

  /** CPU time used so far, in nanoseconds. */
  get cpuNs(): number {
    return Number.parseInt(this.#read(this.#times), 10)
  }

  /** Closes the files. */
  close(): void {
    closeSync(this.#status)
    closeSync(this.#times)
  }

  #read(file: number): string {
    return this.#buffer.toString('latin1', 0, readSync(file, this.#buffer, 0, this.#buffer.length, 0))
  }
}
