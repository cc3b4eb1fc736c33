import { joinedRuns } from '../../../../protocols/llm/texts/joined-runs.ts'
import type { EventTexts, TextSlot } from '../../../../protocols/llm/texts/text-slot.ts'

/** A text of an event on its way through the guards, each of which may change it. */
export interface PendingText {
  readonly event: PendingEvent
  readonly slot: TextSlot
  /** The text of which it is a piece; undefined if it is complete. */
  readonly channel: string | undefined
  /** Its current form. */
  text: string
  /** Of pieces: which channels are read as one text. */
  readonly stretch?: string | undefined
  /** Of complete texts: those of the same event that are read as one with it. */
  run?: TextRun | undefined
}

/** Texts of an event that are read as one, in order. */
export interface TextRun {
  readonly texts: PendingText[]
}

/** The next step of texts, those of a channel in order: a guard, or at last the event that they belong to. */
export interface TextPath {
  text(text: PendingText): void
  /** These channels are complete. */
  close(channels: readonly string[] | 'all'): void
  /** Everything is complete. All channels have been closed. */
  end(): void
}

/** The texts of an event before the first guard. */
export const pendingTexts = (
  event: PendingEvent,
  { pieces, wholes }: Omit<EventTexts, 'closes'>,
): PendingText[] => {
  const texts: PendingText[] = []
  for (const slot of pieces)
    texts.push({ event, slot, channel: slot.channel, text: slot.text, stretch: slot.stretch })
  if (wholes.length === 0) return texts
  const whole = wholes.map((slot): PendingText => ({ event, slot, channel: undefined, text: slot.text }))
  if (wholes.length > 1)
    for (const indexes of joinedRuns(wholes)) {
      const run: TextRun = { texts: indexes.map((at) => whole[at] as PendingText) }
      for (const text of run.texts) text.run = run
    }
  return [...texts, ...whole]
}

/** An event that is pending until all of its texts have been cleared. */
export class PendingEvent {
  /** As received. */
  readonly bytes: Buffer
  readonly #rewritten: (() => Buffer) | undefined
  #open = 0
  #isChanged = false

  /** @param rewritten Encodes the event with its changed texts; undefined if it has no texts. */
  constructor(bytes: Buffer, rewritten?: () => Buffer) {
    this.bytes = bytes
    this.#rewritten = rewritten
  }

  get isCleared(): boolean {
    return this.#open === 0
  }

  /** Sets the number of texts to clear. */
  await(texts: number): void {
    this.#open = texts
  }

  /** One of its texts is in its final form. */
  clear({ text, slot }: PendingText): void {
    if (text !== slot.text) {
      slot.set(text)
      this.#isChanged = true
    }
    this.#open--
  }

  /** As sent to the client: untouched unless one of its texts has changed. */
  written(): Buffer {
    return this.#isChanged && this.#rewritten ? this.#rewritten() : this.bytes
  }
}
