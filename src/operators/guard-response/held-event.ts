import type { HeldText } from './held-text.ts'
import { withData } from './with-data.ts'

/** An event that waits until all of its texts have been cleared. */
export class HeldEvent {
  /** As it came. */
  readonly bytes: Buffer
  readonly #data: (() => string) | undefined
  #open = 0
  #isChanged = false

  /** @param data What it says now, after its texts have been changed; undefined if it has no texts. */
  constructor(bytes: Buffer, data?: () => string) {
    this.bytes = bytes
    this.#data = data
  }

  get isCleared(): boolean {
    return this.#open === 0
  }

  /** It waits for so many texts. */
  await(texts: number): void {
    this.#open = texts
  }

  /** One of its texts is as the client may see it. */
  clear({ text, slot }: HeldText): void {
    if (text !== slot.text) {
      slot.set(text)
      this.#isChanged = true
    }
    this.#open--
  }

  /** As the client gets it: untouched unless one of its texts has changed. */
  written(): Buffer {
    return this.#isChanged && this.#data ? withData(this.bytes, this.#data()) : this.bytes
  }
}
