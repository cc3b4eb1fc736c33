import type { Fault } from '../../../model/exchange/fault.ts'
import { type ModuleLog, silentLog } from '../../../model/log/module-log.ts'
import { beginWork } from '../../../model/introspection/active-work.ts'
import type { ProcessTree } from './process-tree.ts'
import { tooManyChildren } from './faults.ts'

/** Limits of running child processes. */
export interface ChildLimits {
  readonly perTarget: number
  readonly inAll: number
}

/** Running child processes. */
export interface ChildCounts {
  readonly inAll: number
  /** Targets without children are left out. */
  readonly byTarget: Readonly<Record<string, number>>
}

/** A slot for one child process. */
export interface ChildSlot {
  /** The child runs: it is killed if this process exits first, and listed until nothing of it is left. */
  runs(tree: ProcessTree, pid: number): void
  /** No process of it is left. */
  left(): void
}

/** Default limits. */
export const childLimits: ChildLimits = { perTarget: 100, inAll: 500 }

/**
 * Counts the child processes of this process, and lets none outlive it: on exit all are killed. After SIGKILL of this
 * process nothing can be done; then the end of their input is their only signal.
 */
export class ChildCount {
  /** Each ends an idle child, and returns whether there was one. */
  readonly spares = new Set<() => boolean>()
  readonly #limits: ChildLimits
  readonly #log: ModuleLog
  readonly #byTarget = new Map<string, number>()
  readonly #running = new Set<ProcessTree>()
  #inAll = 0
  #waiting: (() => void)[] = []

  constructor(limits: ChildLimits = childLimits, log: ModuleLog = silentLog) {
    this.#limits = limits
    this.#log = log
  }

  /** Takes a slot for another child, or returns why there is none. */
  enter(target: string): ChildSlot | Fault {
    const { perTarget, inAll } = this.#limits
    const ofTarget = this.#byTarget.get(target) ?? 0
    if (ofTarget >= perTarget) return tooManyChildren(`target ${target} is`, perTarget)
    if (this.#inAll >= inAll) return tooManyChildren('all targets together are', inAll)
    if (this.#inAll++ === 0) process.on('exit', this.#killAll)
    this.#byTarget.set(target, ofTarget + 1)
    let running: ProcessTree | undefined
    let unlist: (() => void) | undefined
    let here = true
    return {
      runs: (tree, pid) => {
        running = tree
        this.#log.debug?.('a program runs', { target, pid: tree.leader, programs: this.#inAll })
        unlist = beginWork('program', target, { detail: () => ({ pid }) })
        this.#running.add(tree)
      },
      left: () => {
        if (!here) return
        here = false
        unlist?.()
        if (running) this.#running.delete(running)
        this.#release(target)
        this.#log.debug?.('a program is gone', { target, pid: running?.leader, programs: this.#inAll })
      },
    }
  }

  /** Ends an idle child. It may take a moment to exit. */
  makeRoom(): boolean {
    for (const spare of this.spares) if (spare()) return true
    return false
  }

  counts(): ChildCounts {
    return { inAll: this.#inAll, byTarget: Object.fromEntries(this.#byTarget) }
  }

  /** Resolves when there are no children. It ends none. */
  none(): Promise<void> {
    if (this.#inAll === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #release(target: string): void {
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
      tree.scan()
      tree.signal('SIGKILL')
    }
  }
}
