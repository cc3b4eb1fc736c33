import type { TextScope } from '../../../model/llm-guards.ts'
import type { JsonObject } from '../../json/json-object.ts'

/** A text that a model sees or says, and the place where it stands. */
export interface TextSlot {
  /** Who says it: `system`, `user`, `assistant`, `tool`. */
  readonly role: string
  readonly scope: TextScope
  readonly text: string
  /** Puts another text there, in the object that the slot was found in. */
  set(text: string): void
}

/** More of a text of a stream. */
export interface TextPiece extends TextSlot {
  /** The pieces of one text have the same; no other text of the stream has it. */
  readonly channel: string
}

/** What one event of a stream says. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[]
  /** Texts that are said as wholes, be they repeated, as when an event sums up the ones before it. */
  readonly wholes: readonly TextSlot[]
  /** Texts of which nothing follows after this event. */
  readonly closes: readonly string[] | 'all'
}

/** Reads what the events of one stream say; some formats have to be followed from one to the next. */
export interface StreamTexts {
  /**
   * @param name What the stream calls the event; undefined where it does not.
   * @param data Its JSON, in which slots put what they are given. Undefined: no JSON, such as `[DONE]`.
   */
  read(name: string | undefined, data: JsonObject | undefined): EventTexts
}
