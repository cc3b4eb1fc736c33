import type { PendingEvent } from './pending-event.ts'

/** Events to the client, sent in the order in which they were received. */
export class EventQueue {
  #events: PendingEvent[] = []
  #head = 0
  #pendingBytes = 0

  /** Size of the pending events. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  push(event: PendingEvent): void {
    this.#events.push(event)
    this.#pendingBytes += event.bytes.length
  }

  /** Removes the cleared events at the front, as one buffer; undefined if the first one is pending. */
  take(): Buffer | undefined {
    const first = this.#head
    const parts: Buffer[] = []
    let run: Buffer | undefined
    for (;;) {
      const event = this.#events[this.#head]
      if (!event?.isCleared) break
      this.#head++
      this.#pendingBytes -= event.bytes.length
      const bytes = event.written()
      const joined = run && joinedWith(run, bytes)
      if (run && !joined) parts.push(run)
      run = joined ?? bytes
    }
    if (this.#head === first || !run) return undefined
    this.#compact()
    if (parts.length === 0) return run
    parts.push(run)
    return Buffer.concat(parts)
  }

  clear(): void {
    this.#events = []
    this.#head = 0
    this.#pendingBytes = 0
  }

  #compact(): void {
    if (this.#head === this.#events.length) {
      this.#events = []
      this.#head = 0
    } else if (this.#head >= COMPACT_AT) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
  }
}

/** Events that are adjacent in one chunk are joined without a copy. */
const joinedWith = (one: Buffer, next: Buffer): Buffer | undefined =>
  one.buffer === next.buffer && one.byteOffset + one.length === next.byteOffset
    ? Buffer.from(one.buffer, one.byteOffset, one.length + next.length)
    : undefined

/** Limit of array slots of events already sent. */
const COMPACT_AT = 256
