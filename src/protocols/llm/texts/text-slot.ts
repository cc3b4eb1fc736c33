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
  /** The message or the member of the body, by name and position. */
  readonly unit: string
  /** The role of the message. */
  readonly speaker: string
  /** Texts do not continue across groups, such as the choices of a response. */
  readonly group: string
  /** The name of the text in its unit: texts of one name continue each other. */
  readonly name: string
}

/** A piece of a text in a stream. */
export interface TextPiece extends TextSlot {
  /** The same for all pieces of one text, and for no other text of the stream. */
  readonly channel: string
  /** The run of consecutive texts of one kind that the piece belongs to; they are read as one. */
  readonly stretch?: string | undefined
}

/** The texts of one event of a stream. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[]
  /** Whole texts, including those that repeat earlier pieces. */
  readonly wholes: readonly TextSlot[]
  /** Channels that end with this event. */
  readonly closes: readonly string[] | 'all'
}

/** Extracts the texts from the events of one stream; some formats require state between events. */
export interface StreamTexts {
  /** The names of events in formats other than those of language models. */
  readonly eventNames?: ReadonlySet<string> | undefined
  /**
   * @param name The name of the event; undefined if it has none.
   * @param data Its JSON, which the slots modify. Undefined: no JSON, such as `[DONE]`.
   */
  read(name: string | undefined, data: JsonObject | undefined): EventTexts
}
