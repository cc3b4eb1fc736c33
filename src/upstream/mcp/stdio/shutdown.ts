import type { ProcessTree } from './process-tree.ts'
import type { StdioLimits } from './limits.ts'

/** First interval of polling for left-behind processes; it doubles each time. */
const POLL_MS = 20

/** After this time a process that survived SIGKILL is an unreaped zombie: not waited for. */
const KILLED_MS = 1_000

/**
 * Ends a process tree: first its input is closed, then it gets SIGTERM, then SIGKILL. When the leader has exited, the
 * processes it started get SIGTERM at once.
 */
export class ChildShutdown {
  readonly #tree: ProcessTree
  readonly #limits: StdioLimits
  readonly #done: () => void
  #step: 'input' | 'term' | 'kill' = 'input'
  #until: number
  #leaderGone = false
  #pollMs = POLL_MS / 2
  #timer: NodeJS.Timeout | undefined = undefined
  #over = false

  /** @param done Called once, when no process is left. */
  constructor(tree: ProcessTree, limits: StdioLimits, done: () => void) {
    this.#tree = tree
    this.#limits = limits
    this.#done = done
    this.#until = performance.now() + limits.inputGraceMs
    tree.scan()
    this.#wait()
  }

  /** The leader has exited. */
  leaderGone(): void {
    this.#leaderGone = true
    this.#check()
  }

  /** Skips the grace period after the end of input. */
  hurry(): void {
    if (this.#step !== 'input') return
    this.#until = 0
    this.#check()
  }

  readonly #check = (): void => {
    if (this.#over) return
    clearTimeout(this.#timer)
    const now = performance.now()
    if (!this.#tree.alive || (this.#step === 'kill' && now >= this.#until)) {
      this.#over = true
      this.#done()
      return
    }
    if (this.#step === 'input' && (this.#leaderGone || now >= this.#until))
      this.#signal('term', now + this.#limits.termGraceMs)
    else if (this.#step === 'term' && now >= this.#until) this.#signal('kill', now + KILLED_MS)
    this.#wait()
  }

  #signal(step: 'term' | 'kill', until: number): void {
    this.#step = step
    this.#until = until
    this.#tree.scan()
    this.#tree.signal(step === 'term' ? 'SIGTERM' : 'SIGKILL')
  }

  #wait(): void {
    const left = Math.max(0, this.#until - performance.now())
    if (this.#leaderGone) this.#pollMs *= 2
    this.#timer = setTimeout(this.#check, this.#leaderGone ? Math.min(this.#pollMs, left) : left)
  }
}
