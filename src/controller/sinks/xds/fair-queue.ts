/** Limits of a queue. */
export interface FairQueueLimits {
  /** Works at a time. */
  readonly running: number
  /** Works that wait. */
  readonly pending: number
}

/** Too much is waiting already. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

/** One work for the queue. */
export interface QueuedWork<T> {
  /** Who wants it: sources have their turns one after another, however much each of them wants. */
  readonly source: string
  /** Whether somebody still waits for it; looked at when its turn has come. */
  readonly isWanted: () => boolean
  readonly run: () => Promise<T>
}

/**
 * Runs a few works at a time, and lets a bounded number wait. One source that wants everything delays and displaces its
 * own works only: when the queue is full, the source that has most in it loses its latest.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits
  /** In the order of their turns. */
  readonly #sources = new Map<string, PendingWork[]>()
  #running = 0
  #pending = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /** @throws QueueFull if it is not run, because too much waits, or nobody wants it any more. */
  run<T>({ source, isWanted, run }: QueuedWork<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = () => run().then(resolve, reject)
      if (this.#running < this.#limits.running) {
        this.#start(start)
        return
      }
      if (this.#pending >= this.#limits.pending) this.#dropUnwanted()
      this.#enqueue(source, { start, isWanted, refuse: () => reject(this.#full()) })
    })
  }

  #enqueue(source: string, work: PendingWork): void {
    if (this.#pending >= this.#limits.pending) {
      const longest = [...this.#sources].reduce((one, other) =>
        other[1].length > one[1].length ? other : one,
      )
      const own = this.#sources.get(source)?.length ?? 0
      if (own >= longest[1].length) {
        work.refuse()
        return
      }
      this.#remove(longest[0], longest[1].pop())
    }
    const queue = this.#sources.get(source) ?? []
    this.#sources.set(source, queue)
    queue.push(work)
    this.#pending++
  }

  #remove(source: string, work: PendingWork | undefined): void {
    if (this.#sources.get(source)?.length === 0) this.#sources.delete(source)
    this.#pending--
    work?.refuse()
  }

  #dropUnwanted(): void {
    for (const [source, queue] of [...this.#sources])
      for (const work of queue.filter(({ isWanted }) => !isWanted())) {
        queue.splice(queue.indexOf(work), 1)
        this.#remove(source, work)
      }
  }

  #start(start: () => Promise<void>): void {
    this.#running++
    void start().finally(() => {
      this.#running--
      this.#next()
    })
  }

  #next(): void {
    for (const [source, queue] of this.#sources) {
      const work = queue.shift()
      // The next turn is that of another source.
      this.#sources.delete(source)
      if (queue.length > 0) this.#sources.set(source, queue)
      if (!work) continue
      this.#pending--
      if (work.isWanted()) {
        this.#start(work.start)
        return
      }
      work.refuse()
    }
  }

  #full(): QueueFull {
    return new QueueFull(`the queue of token reviews is full: ${this.#limits.pending} are waiting`)
  }
}

interface PendingWork {
  readonly start: () => Promise<void>
  readonly isWanted: () => boolean
  readonly refuse: () => void
}
