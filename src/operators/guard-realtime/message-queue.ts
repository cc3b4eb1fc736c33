import { HeldMessage } from './held-message.ts'

/** Messages in the order in which they came, which is the one in which they leave. */
export class MessageQueue {
  #messages: HeldMessage[] = []
  #heldBytes = 0

  /** The one that keeps the others waiting. */
  get first(): HeldMessage | undefined {
    return this.#messages[0]
  }

  /** Of the messages that wait. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  push(message: HeldMessage): void {
    this.#messages.push(message)
    this.#heldBytes += message.bytes.length + LEAST_BYTES
  }

  /** The frames at the front that may leave. */
  take(): readonly Buffer[] {
    const waits = this.#messages.findIndex((message) => !message.isCleared)
    const leaving = this.#messages.splice(0, waits < 0 ? this.#messages.length : waits)
    for (const { bytes } of leaving) this.#heldBytes -= bytes.length + LEAST_BYTES
    return leaving.map((message) => message.written()).filter((frame) => frame.length > 0)
  }

  /** Withholds messages; the client gets something else where the first of them was, or behind all others. */
  withhold(which: (message: HeldMessage) => boolean, instead: Buffer): void {
    const [first, ...others] = this.#messages.filter(which)
    if (first) first.withhold(instead)
    else this.push(new HeldMessage(instead))
    for (const other of others) other.withhold()
  }

  clear(): void {
    this.#messages = []
    this.#heldBytes = 0
  }
}

/** What a message takes besides its bytes. */
const LEAST_BYTES = 256
