import type { JsonObject } from '../../protocols/json/json-object.ts'
import { writeText } from '../../protocols/websocket/write-frame.ts'
import { HeldEvent } from '../guard-response/held-event.ts'
import type { HeldText } from '../guard-response/held-text.ts'

/** What is known of a message besides its bytes. */
export interface HeldMessageParts {
  /** Whose guards look at it. */
  readonly owner?: object | undefined
  /** The item of the conversation that it is about. */
  readonly item?: string | undefined
  /** What it says, where texts are masked. */
  readonly json?: JsonObject | undefined
  /** What is left of it if it is withheld. */
  readonly remains?: (() => Buffer) | undefined
}

/** A message for the client that waits until all of its texts have been cleared. */
export class HeldMessage extends HeldEvent {
  readonly #parts: HeldMessageParts
  #isMasked = false
  #instead: Buffer | undefined = undefined

  /** @param frame As it is to be sent unless something of it is masked. */
  constructor(frame: Buffer, parts: HeldMessageParts = {}) {
    super(frame)
    this.#parts = parts
  }

  get owner(): object | undefined {
    return this.#parts.owner
  }

  get item(): string | undefined {
    return this.#parts.item
  }

  override get isCleared(): boolean {
    return this.#instead !== undefined || super.isCleared
  }

  override clear(text: HeldText): void {
    if (text.text !== text.slot.text) this.#isMasked = true
    super.clear(text)
  }

  /**
   * The client does not get it, whatever becomes of its texts.
   *
   * @param before What it gets there.
   */
  withhold(before: Buffer = nothing): void {
    const remains = this.#parts.remains?.()
    this.#instead = remains ? Buffer.concat([before, remains]) : before
  }

  override written(): Buffer {
    if (this.#instead) return this.#instead
    const { json } = this.#parts
    return this.#isMasked && json ? writeText('server', JSON.stringify(json)) : this.bytes
  }
}

const nothing = Buffer.alloc(0)
