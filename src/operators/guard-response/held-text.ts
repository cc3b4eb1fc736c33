import type { TextSlot } from '../../protocols/llm/texts/text-slot.ts'
import type { HeldEvent } from './held-event.ts'

/** A text of an event on its way through the guards, each of which may change it. */
export interface HeldText {
  readonly event: HeldEvent
  readonly slot: TextSlot
  /** Of which text it is a piece; undefined if it is said as a whole. */
  readonly channel: string | undefined
  /** What it has become so far. */
  text: string
}

/** Where texts go next, those of a channel in order: to a guard, and at last to the event that they came from. */
export interface TextPath {
  text(text: HeldText): void
  /** Nothing follows in these channels. */
  close(channels: readonly string[] | 'all'): void
  /** Nothing follows at all. All channels have been closed. */
  end(): void
}
