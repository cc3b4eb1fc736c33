import { PendingMessage } from './pending-message.ts'

/** Messages to the client, sent in the order in which they were received. */
export class MessageQueue {
  #messages: PendingMessage[] = []
  #pendingBytes = 0

  /** The message that blocks the others. */
  get first(): PendingMessage | undefined {
    return this.#messages[0]
  }

  /** Size of all pending messages. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  push(message: PendingMessage): void {
    this.#messages.push(message)
    this.#pendingBytes += message.bytes.length + OVERHEAD_BYTES
  }

  /** Removes the cleared frames at the front. */
  take(): readonly Buffer[] {
    const waits = this.#messages.findIndex((message) => !message.isCleared)
    const cleared = this.#messages.splice(0, waits < 0 ? this.#messages.length : waits)
    for (const { bytes } of cleared) this.#pendingBytes -= bytes.length + OVERHEAD_BYTES
    return cleared.map((message) => message.written()).filter((frame) => frame.length > 0)
  }

  /** Withholds messages. The replacement is sent at the position of the first of them, or after all others. */
  withhold(which: (message: PendingMessage) => boolean, instead: Buffer): void {
    const [first, ...others] = this.#messages.filter(which)
    if (first) first.withhold(instead)
    else this.push(new PendingMessage(instead))
    for (const other of others) other.withhold()
  }

  clear(): void {
    this.#messages = []
    this.#pendingBytes = 0
  }
}

/** Overhead of a message besides its bytes. */
const OVERHEAD_BYTES = 256
