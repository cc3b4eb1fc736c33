import type { JsonObject } from '../../../../protocols/json/json-object.ts'
import { writeText } from '../../../../protocols/websocket/write-frame.ts'
import { PendingEvent, type PendingText } from '../stream/pending-event.ts'

/** What is known of a message besides its bytes. */
export interface PendingMessageParts {
  /** The response whose guards check it. */
  readonly owner?: object | undefined
  /** The session item that it concerns. */
  readonly item?: string | undefined
  /** The parsed event, in which texts are masked. */
  readonly json?: JsonObject | undefined
  /** The rest of the message that is sent even if it is withheld. */
  readonly remains?: (() => Buffer) | undefined
}

/** A message to the client, pending until all of its texts have been cleared. */
export class PendingMessage extends PendingEvent {
  readonly #parts: PendingMessageParts
  #isMasked = false
  #instead: Buffer | undefined = undefined

  /** @param frame Sent as it is unless a text is masked. */
  constructor(frame: Buffer, parts: PendingMessageParts = {}) {
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

  override clear(text: PendingText): void {
    if (text.text !== text.slot.text) this.#isMasked = true
    super.clear(text)
  }

  /**
   * The client does not get it, whatever the verdicts are.
   *
   * @param before Sent in its place.
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
