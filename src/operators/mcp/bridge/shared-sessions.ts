import { Observable, ReplaySubject, take } from 'rxjs'
import type { Warm } from './warm-pool.ts'

interface Shared<Item> {
  readonly item: ReplaySubject<Item>
  users: number
  timer: NodeJS.Timeout | undefined
  isRetired: boolean
  current: Item | undefined
}

/** A shared session in use by one caller. */
export interface Use<Item> {
  readonly item: Item
  /** An earlier request began it. */
  readonly isUsed: boolean
  readonly release: () => void
  /** The server has dropped the session. */
  readonly discard: () => void
}

/** Sessions that all anonymous callers share. An unused one ends after a timeout. */
export class SharedSessions<Item extends Warm> {
  readonly #byKey = new Map<string, Shared<Item>>()
  readonly #idleMs: number

  /** @param idleMs How long an unused session is kept. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** Begins the session if there is none. It does not end with the first caller. */
  take(key: string, start: () => Observable<Item>): Observable<Use<Item>> {
    return new Observable((out) => {
      const known = this.#known(key)
      const shared = known ?? this.#begin(key, start)
      clearTimeout(shared.timer)
      shared.users++
      let isInUse = true
      const release = (): void => {
        if (!isInUse) return
        isInUse = false
        if (--shared.users === 0) this.#startIdleTimer(key, shared)
      }
      let isTaken = false
      const run = shared.item.pipe(take(1)).subscribe({
        next: (item) => {
          isTaken = true
          const discard = (): void => {
            this.#drop(key, shared)
          }
          out.next({ item, isUsed: known !== undefined, release, discard })
          out.complete()
        },
        error: (fault: unknown) => {
          out.error(fault)
        },
      })
      return () => {
        run.unsubscribe()
        if (!isTaken) release()
      }
    })
  }

  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  /** No new caller will use it: it ends with its last user. */
  retire(key: string): void {
    const shared = this.#byKey.get(key)
    if (!shared) return
    shared.isRetired = true
    if (shared.users === 0) this.#drop(key, shared)
  }

  destroy(): void {
    for (const [key, shared] of this.#byKey) this.#drop(key, shared)
  }

  #known(key: string): Shared<Item> | undefined {
    const shared = this.#byKey.get(key)
    if (!shared?.current?.isOver) return shared
    this.#drop(key, shared)
    return undefined
  }

  #begin(key: string, start: () => Observable<Item>): Shared<Item> {
    const shared: Shared<Item> = {
      item: new ReplaySubject(1),
      users: 0,
      timer: undefined,
      isRetired: false,
      current: undefined,
    }
    this.#byKey.set(key, shared)
    start()
      .pipe(take(1))
      .subscribe({
        next: (item) => {
          // It may have been dropped meanwhile.
          if (this.#byKey.get(key) === shared) shared.current = item
          else item.end()
          shared.item.next(item)
        },
        error: (fault: unknown) => {
          if (this.#byKey.get(key) === shared) this.#byKey.delete(key)
          shared.item.error(fault)
        },
      })
    return shared
  }

  #startIdleTimer(key: string, shared: Shared<Item>): void {
    if (this.#byKey.get(key) !== shared) return
    if (shared.isRetired) {
      this.#drop(key, shared)
      return
    }
    shared.timer = setTimeout(() => {
      this.#drop(key, shared)
    }, this.#idleMs).unref()
  }

  #drop(key: string, shared: Shared<Item>): void {
    clearTimeout(shared.timer)
    if (this.#byKey.get(key) === shared) this.#byKey.delete(key)
    shared.current?.end()
    shared.current = undefined
  }
}
