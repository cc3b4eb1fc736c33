import type { TextScope } from '../../../operators/llm/guardrails/schema/normal-form.ts'
import type { JsonObject } from '../../json/json-object.ts'

/** A text that a model reads or writes, and its location. */
export interface TextSlot {
  /** Its role: `system`, `user`, `assistant`, `tool`. */
  readonly role: string
  readonly scope: TextScope
  readonly text: string
  /** The longer text that it continues; undefined if it stands by itself. */
  readonly line?: TextLine | undefined
  /** Replaces the text in the object in which it was found. */
  set(text: string): void
}

/** The longer text that a text is a part of. */
export interface TextLine {
  /** The message, or the member of the body, as its name and place. */
  readonly unit: string
  /** The role of who says all of that. */
  readonly speaker: string
  /** What is said in one does not go on in another, such as one of several choices. */
  readonly group: string
  /** What it is called there: texts of one name go on in each other. */
  readonly name: string
}

/** A piece of a text in a stream. */
export interface TextPiece extends TextSlot {
  /** The pieces of one text have the same; no other text of the stream has it. */
  readonly channel: string
  /** The texts of one, which models say as one, follow each other without another kind in between. */
  readonly stretch?: string | undefined
}

/** The texts of one event of a stream. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[]
  /** Texts that are said as wholes, be they repeated, as when an event sums up the ones before it. */
  readonly wholes: readonly TextSlot[]
  /** Texts of which nothing follows after this event. */
  readonly closes: readonly string[] | 'all'
}

/** Extracts the texts from the events of one stream; some formats require state between events. */
export interface StreamTexts {
  /** What the format calls its events, if not what those of language models do. */
  readonly eventNames?: ReadonlySet<string> | undefined
  /**
   * @param name What the stream calls the event; undefined where it does not.
   * @param data Its JSON, in which slots put what they are given. Undefined: no JSON, such as `[DONE]`.
   */
  read(name: string | undefined, data: JsonObject | undefined): EventTexts
}
