import type { ProcessTree } from './process-tree.ts'
import type { StdioLimits } from './stdio-limits.ts'

/** When it is asked first whether those are gone whom a process has left behind; then after twice the time, and so on. */
const POLL_MS = 20

/** What SIGKILL does not end by then is a zombie that its parent forgot: nothing to wait for. */
const KILLED_MS = 1_000

/**
 * Ends a tree of processes: first its input ends, then it gets SIGTERM, then SIGKILL. A first process that has ended
 * leaves nobody behind: whoever it started gets SIGTERM at once.
 */
export class StdioEnding {
  readonly #tree: ProcessTree
  readonly #limits: StdioLimits
  readonly #done: () => void
  #step: 'input' | 'term' | 'kill' = 'input'
  #until: number
  #leaderGone = false
  #pollMs = POLL_MS / 2
  #timer: NodeJS.Timeout | undefined = undefined
  #over = false

  /** @param done Told once, when nothing is left. */
  constructor(tree: ProcessTree, limits: StdioLimits, done: () => void) {
    this.#tree = tree
    this.#limits = limits
    this.#done = done
    this.#until = performance.now() + limits.inputGraceMs
    tree.look()
    this.#wait()
  }

  /** The first process has ended. */
  leaderGone(): void {
    this.#leaderGone = true
    this.#look()
  }

  /** Does not wait for what the end of input may bring. */
  hurry(): void {
    if (this.#step !== 'input') return
    this.#until = 0
    this.#look()
  }

  readonly #look = (): void => {
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
    this.#tree.look()
    this.#tree.signal(step === 'term' ? 'SIGTERM' : 'SIGKILL')
  }

  #wait(): void {
    const left = Math.max(0, this.#until - performance.now())
    if (this.#leaderGone) this.#pollMs *= 2
    this.#timer = setTimeout(this.#look, this.#leaderGone ? Math.min(this.#pollMs, left) : left)
  }
}
