import type { JsonObject } from '../../json/json-object.ts'
import type { CacheMark } from './cache-mark.ts'
import type { Part, TextPart } from './parts.ts'

/**
 * A request for the next turn of a conversation, in any format. What a format cannot express stays undefined; what this
 * form cannot express is reported as a loss by the decoder of the format.
 */
export interface ChatRequest {
  readonly model: string
  /** The system and developer messages before the conversation, in order. */
  readonly instructions: readonly TextPart[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
  /** False: at most one tool call a turn. */
  readonly parallelTools?: boolean | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly stop: readonly string[]
  readonly seed?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly output?: OutputShape | undefined
  readonly reasoning?: Reasoning | undefined
  /** The end user, by the application's own id. */
  readonly user?: string | undefined
  readonly serviceTier?: string | undefined
  readonly streaming: boolean
  /** The client requested usage at the end of the stream. Formats that always report it set it. */
  readonly includeUsage: boolean
}

/**
 * One turn of one side. Results of tools are parts of the user's turn. Turns of one side may follow each other; a
 * format that does not allow it joins them. System and developer messages in the middle of the conversation are turns
 * of the system, of texts.
 */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly Part[]
}

/** A function that the model may call. */
export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments; an empty object schema if the client gave none. */
  readonly parameters: JsonObject
  readonly strict?: boolean | undefined
  /** The prompt up to here is to be cached. */
  readonly cache?: CacheMark | undefined
}

/** Whether the model must call a tool, and which. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string }

/** The format required of the output. */
export type OutputShape =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema'
      readonly schema: JsonObject
      readonly name?: string | undefined
      readonly description?: string | undefined
      readonly strict?: boolean | undefined
    }

/** How much the model is to think before its output. */
export interface Reasoning {
  readonly effort?: ReasoningEffort | undefined
  /** Token budget of the thinking; formats with efforts use the nearest. */
  readonly budgetTokens?: number | undefined
  /** False: the effort is that of the whole response, and does not enable thinking. */
  readonly thinks?: false | undefined
  /** The model decides how much to think. */
  readonly adaptive?: boolean | undefined
  /** Whether the client wants the thinking in the reply. */
  readonly visible?: boolean | undefined
}

/** The effort of reasoning, from none to the maximum. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
