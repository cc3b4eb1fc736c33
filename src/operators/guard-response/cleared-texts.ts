import type { HeldText, TextPath } from './held-text.ts'

/** Where the guards of a stream end: what comes here has been cleared by all of them. */
export class ClearedTexts implements TextPath {
  #hasEnded = false

  /** Everything has been cleared, and nothing follows. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  text(text: HeldText): void {
    text.event.clear(text)
  }

  close(): void {
    // Only guards want to know.
  }

  end(): void {
    this.#hasEnded = true
  }
}
