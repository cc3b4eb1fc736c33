import type { ApiFailure } from '../api/api-failure.ts'
import type { Kind } from '../kinds/kinds.ts'

/** Observes reflectors, for metrics. */
export interface ReflectorObserver {
  /** A list is complete. */
  onList(kind: Kind, objectCount: number): void
  /** An event or a bookmark came. */
  onWatchEvent(kind: Kind): void
  /** A list or a watch failed, and is begun again after a delay. */
  onRestart(kind: Kind, failure: ApiFailure, delayMs: number): void
}

/** How well a reflector follows the API server. Times are `performance.now()`. */
export interface ReflectorLiveness {
  /** Of events, bookmarks and lists. Far in the past means that the objects may be outdated. */
  readonly lastEventAt: number | undefined
  readonly lists: number
  readonly restarts: number
}

/** Keeps the liveness of all reflectors, by kind. */
export class ReflectorRecords implements ReflectorObserver {
  readonly #now: () => number
  readonly #records = new Map<Kind, ReflectorLiveness>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get all(): ReadonlyMap<Kind, ReflectorLiveness> {
    return this.#records
  }

  onList(kind: Kind): void {
    const { lists } = this.#of(kind)
    this.#change(kind, { lastEventAt: this.#now(), lists: lists + 1 })
  }

  onWatchEvent(kind: Kind): void {
    this.#change(kind, { lastEventAt: this.#now() })
  }

  onRestart(kind: Kind): void {
    const { restarts } = this.#of(kind)
    this.#change(kind, { restarts: restarts + 1 })
  }

  #of(kind: Kind): ReflectorLiveness {
    return this.#records.get(kind) ?? unknownLiveness
  }

  #change(kind: Kind, part: Partial<ReflectorLiveness>): void {
    this.#records.set(kind, { ...this.#of(kind), ...part })
  }
}

const unknownLiveness: ReflectorLiveness = {
  lastEventAt: undefined,
  lists: 0,
  restarts: 0,
}
