/** What waits for the end of a stream that may not come by itself. */
interface Watched {
  /** Checks the stream; ends it if it cannot end otherwise. */
  check(): void
}

/** Two checks must fit into the second after which a client that left is gone. */
const CHECK_INTERVAL_MS = 250

/** Checks HTTP/2 streams regularly, all with one timer, which runs only while there are any. */
export class StreamWatch {
  readonly #watched = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined = undefined

  add(one: Watched): void {
    this.#watched.add(one)
    this.#timer ??= setInterval(() => this.#checkAll(), CHECK_INTERVAL_MS).unref()
  }

  delete(one: Watched): void {
    this.#watched.delete(one)
  }

  #checkAll(): void {
    for (const one of this.#watched) one.check()
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
