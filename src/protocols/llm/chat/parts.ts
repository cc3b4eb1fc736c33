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
  /** Kept by the provider. */
  | { readonly fileId: string }

/** A picture. */
export interface ImagePart {
  readonly type: 'image'
  readonly source: Source
  /** How closely to look: `low`, `high`, `auto`. */
  readonly detail?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** Sound. */
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

/** Thoughts of the model before its text. */
export interface ThinkingPart {
  readonly type: 'thinking'
  readonly text: string
  /** Identifies the thoughts to their provider; sent back unchanged. */
  readonly signature?: string | undefined
}

/** Thoughts that only the provider can read; they go back unchanged. */
export interface HiddenThinkingPart {
  readonly type: 'hiddenThinking'
  readonly data: string
}

/** A call of a tool. */
export interface ToolCallPart {
  readonly type: 'toolCall'
  readonly id: string
  readonly name: string
  /** JSON text of an object, as the model wrote it. */
  readonly arguments: string
  /** The signature of the thought behind it, where the provider attaches it to the call. */
  readonly signature?: string | undefined
  readonly cache?: CacheMark | undefined
}

/** The result of a tool. */
export interface ToolResultPart {
  readonly type: 'toolResult'
  /** The id of the call. */
  readonly id: string
  /** The name of the tool, where the format says it. */
  readonly name?: string | undefined
  readonly parts: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean | undefined
  readonly cache?: CacheMark | undefined
}
