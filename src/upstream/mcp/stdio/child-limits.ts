import type { Fault } from '../../model/fault.ts'
import type { ProcessTree } from './process-tree.ts'
import { tooManyChildren } from './stdio-faults.ts'

/** How many child processes may run. */
export interface ChildLimits {
  readonly perTarget: number
  readonly inAll: number
}

/** How many do. */
export interface ChildCounts {
  readonly inAll: number
  /** Targets without children are left out. */
  readonly byTarget: Readonly<Record<string, number>>
}

/** A child's place among the children. */
export interface ChildPlace {
  /** It runs: should this process exit before the child is gone, the child is killed. */
  runs(tree: ProcessTree): void
  /** Nothing is left of it. */
  left(): void
}

/** What holds unless somebody says otherwise. */
export const childLimits: ChildLimits = { perTarget: 100, inAll: 500 }

/**
 * Counts the child processes of this process, and lets none outlive it: when it exits, all of them are killed. A process
 * that is killed itself with SIGKILL can do nothing; then its children see the end of their input.
 */
export class ChildCount {
  readonly #limits: ChildLimits
  readonly #byTarget = new Map<string, number>()
  readonly #running = new Set<ProcessTree>()
  #inAll = 0
  #waiting: (() => void)[] = []

  constructor(limits: ChildLimits = childLimits) {
    this.#limits = limits
  }

  /** Takes a place for a further child, or says why there is none. */
  enter(target: string): ChildPlace | Fault {
    const { perTarget, inAll } = this.#limits
    const ofTarget = this.#byTarget.get(target) ?? 0
    if (ofTarget >= perTarget) return tooManyChildren(`target ${target} is`, perTarget)
    if (this.#inAll >= inAll) return tooManyChildren('all targets together are', inAll)
    if (this.#inAll++ === 0) process.on('exit', this.#killAll)
    this.#byTarget.set(target, ofTarget + 1)
    let running: ProcessTree | undefined
    let here = true
    return {
      runs: (tree) => {
        running = tree
        this.#running.add(tree)
      },
      left: () => {
        if (!here) return
        here = false
        if (running) this.#running.delete(running)
        this.#leave(target)
      },
    }
  }

  counts(): ChildCounts {
    return { inAll: this.#inAll, byTarget: Object.fromEntries(this.#byTarget) }
  }

  /** Resolves when there are no children, be it at once. It ends none. */
  none(): Promise<void> {
    if (this.#inAll === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #leave(target: string): void {
    const ofTarget = (this.#byTarget.get(target) ?? 1) - 1
    if (ofTarget === 0) this.#byTarget.delete(target)
    else this.#byTarget.set(target, ofTarget)
    if (--this.#inAll > 0) return
    process.off('exit', this.#killAll)
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one()
  }

  readonly #killAll = (): void => {
    for (const tree of this.#running) {
      tree.look()
      tree.signal('SIGKILL')
    }
  }
}
