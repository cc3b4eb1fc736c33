import { type Observable, Subscription } from 'rxjs'

/** An item that is ready for one caller. */
export interface Warm {
  readonly isOver: boolean
  end(): void
}

interface Entry<Item> {
  readonly kind: string
  readonly item: Item
  readonly timer: NodeJS.Timeout
}

/**
 * Unused programs of one server, ready for anonymous callers. One that is taken belongs to its caller and never comes
 * back after use. The number is bounded whatever clients declare; an item that is not taken ends after a timeout, and
 * gives way where programs are short.
 */
export class WarmPool<Item extends Warm> {
  #ready: Entry<Item>[] = []
  readonly #starting = new Set<Subscription>()
  readonly #idleMs: number
  #spares: Set<() => boolean> | undefined = undefined
  #isClosed = false

  /** @param idleMs How long an item is kept. */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  get size(): number {
    return this.#ready.length
  }

  /** Registers the pool's idle items as the ones that can be ended first. */
  join(spares: Set<() => boolean>): this {
    this.#spares = spares.add(this.#spare)
    return this
  }

  /** @param kind Items of another kind do not suit the caller. */
  take(kind: string): Item | undefined {
    for (;;) {
      const entry = this.#ready.findLast((one) => one.kind === kind)
      if (!entry) return undefined
      this.#remove(entry)
      if (!entry.item.isOver) return entry.item
      entry.item.end()
    }
  }

  /** Keeps an item without visible use, or ends it. */
  put(kind: string, limit: number, item: Item): void {
    if (this.#isClosed || item.isOver || limit === 0) {
      item.end()
      return
    }
    // The latest kind is what clients request now.
    while (this.#ready.length >= limit) this.#spare()
    const entry = {
      kind,
      item,
      timer: setTimeout(() => {
        this.#remove(entry)
        item.end()
      }, this.#idleMs).unref(),
    }
    this.#ready.push(entry)
  }

  /** Starts one more, up to `limit`. */
  fill(kind: string, limit: number, start: () => Observable<Item>): void {
    const ready = this.#ready.filter((one) => one.kind === kind).length
    if (this.#isClosed || ready + this.#starting.size >= limit) return
    const starting = new Subscription()
    this.#starting.add(starting)
    const done = (): void => {
      this.#starting.delete(starting)
    }
    starting.add(
      start().subscribe({
        next: (item) => {
          this.put(kind, limit, item)
        },
        // The next caller gets the fault.
        error: done,
        complete: done,
      }),
    )
  }

  destroy(): void {
    this.#isClosed = true
    this.#spares?.delete(this.#spare)
    for (const starting of this.#starting) starting.unsubscribe()
    this.#starting.clear()
    while (this.#spare());
  }

  readonly #spare = (): boolean => {
    const [oldest] = this.#ready
    if (!oldest) return false
    this.#remove(oldest)
    oldest.item.end()
    return true
  }

  #remove(entry: Entry<Item>): void {
    clearTimeout(entry.timer)
    this.#ready = this.#ready.filter((one) => one !== entry)
  }
}

/** Clients that return later wait for a start. */
const IDLE_MS = 300_000
