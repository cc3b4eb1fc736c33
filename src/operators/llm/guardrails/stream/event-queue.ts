import type { HeldEvent } from './held-event.ts'

/** Events in the order in which they came, which is the one in which they leave. */
export class EventQueue {
  #events: HeldEvent[] = []
  #head = 0
  #heldBytes = 0

  /** Of the events that wait. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  push(event: HeldEvent): void {
    this.#events.push(event)
    this.#heldBytes += event.bytes.length
  }

  /** The events at the front whose texts have all been cleared, in one piece; undefined if the first one waits. */
  take(): Buffer | undefined {
    const first = this.#head
    const parts: Buffer[] = []
    let run: Buffer | undefined
    for (;;) {
      const event = this.#events[this.#head]
      if (!event?.isCleared) break
      this.#head++
      this.#heldBytes -= event.bytes.length
      const bytes = event.written()
      const joined = run && joinedWith(run, bytes)
      if (run && !joined) parts.push(run)
      run = joined ?? bytes
    }
    if (this.#head === first || !run) return undefined
    this.#forget()
    if (parts.length === 0) return run
    parts.push(run)
    return Buffer.concat(parts)
  }

  clear(): void {
    this.#events = []
    this.#head = 0
    this.#heldBytes = 0
  }

  #forget(): void {
    if (this.#head === this.#events.length) {
      this.#events = []
      this.#head = 0
    } else if (this.#head >= FORGOTTEN_AT) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
  }
}

/** Events that lie next to each other in one chunk need not be copied to be one piece. */
const joinedWith = (one: Buffer, next: Buffer): Buffer | undefined =>
  one.buffer === next.buffer && one.byteOffset + one.length === next.byteOffset
    ? Buffer.from(one.buffer, one.byteOffset, one.length + next.length)
    : undefined

/** So many places of events that have left are kept at most. */
const FORGOTTEN_AT = 256
