import type { HeldText } from './held-text.ts'

/** An event that waits until all of its texts have been cleared. */
export class HeldEvent {
  /** As it came. */
  readonly bytes: Buffer
  readonly #rewritten: (() => Buffer) | undefined
  #open = 0
  #isChanged = false

  /** @param rewritten What it looks like once its texts have been changed; undefined if it has no texts. */
  constructor(bytes: Buffer, rewritten?: () => Buffer) {
    this.bytes = bytes
    this.#rewritten = rewritten
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
    return this.#isChanged && this.#rewritten ? this.#rewritten() : this.bytes
  }
}
