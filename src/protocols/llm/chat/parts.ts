import type { CacheMark } from './cache-mark.ts'

/** A part of a turn. */
export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | RefusalPart
  | ThinkingPart
  | HiddenThinkingPart
  | ToolCallPart
  | ToolResultPart

/** Text. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly cache?: CacheMark | undefined
}

/** Where the bytes of an image or a file are. */
export type Source =
  | { readonly base64: string; readonly mediaType: string }
  | { readonly url: string; readonly mediaType?: string | undefined }
  /** Stored by the provider. */
  | { readonly fileId: string }

/** An image. */
export interface ImagePart {
  readonly type: 'image'
  readonly source: Source
  /** The resolution of the analysis: `low`, `high`, `auto`. */
  readonly detail?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** Audio. */
export interface AudioPart {
  readonly type: 'audio'
  readonly base64: string
  /** Such as `wav` or `mp3`. */
  readonly format: string
}

/** A document, such as a PDF. */
export interface FilePart {
  readonly type: 'file'
  readonly source: Source
  readonly name?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** A refusal of the model. */
export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
}

/** Thinking of the model before its text. */
export interface ThinkingPart {
  readonly type: 'thinking'
  readonly text: string
  /** Identifies the thinking to its provider; sent back unchanged. */
  readonly signature?: string | undefined
}

/** Encrypted thinking, sent back unchanged. */
export interface HiddenThinkingPart {
  readonly type: 'hiddenThinking'
  readonly data: string
}

/** A tool call. */
export interface ToolCallPart {
  readonly type: 'toolCall'
  readonly id: string
  readonly name: string
  /** JSON text of an object, as the model generated it. */
  readonly arguments: string
  /** The signature of the preceding thinking, where the provider attaches it to the call. */
  readonly signature?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** The result of a tool. */
export interface ToolResultPart {
  readonly type: 'toolResult'
  /** The id of the call. */
  readonly id: string
  /** The name of the tool, if the format has it. */
  readonly name?: string | undefined
  readonly parts: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean | undefined
  readonly cache?: CacheMark | undefined
}
