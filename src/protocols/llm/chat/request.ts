import type { JsonObject } from '../../json/json-object.ts'
import type { Part, TextPart } from './parts.ts'

/**
 * A request for the next turn of a conversation, whichever format it was written in. What a format cannot say stays
 * undefined; what this cannot say is reported as a loss by whoever reads the format.
 */
export interface ChatRequest {
  readonly model: string
  /** What the model is told before the conversation: system and developer messages, in order. */
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
  /** Who is behind the request, as the application calls them. */
  readonly user?: string | undefined
  readonly serviceTier?: string | undefined
  readonly streaming: boolean
  /** The client asked to be told of the usage at the end of the stream. Formats that always tell it set it. */
  readonly wantsUsage: boolean
}

/**
 * What one side says. Results of tools are parts of the user's turn. Turns of one side may follow each other; a format
 * that does not allow it joins them.
 */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

/** A function the model may ask for. */
export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments; an empty object schema if the client gave none. */
  readonly parameters: JsonObject
  readonly strict?: boolean | undefined
  /** The prompt up to here is worth keeping in a cache. */
  readonly cache?: CacheMark | undefined
}

/** Whether the model must ask for a tool, and for which. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string }

/** What the answer must look like. */
export type OutputShape =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema'
      readonly schema: JsonObject
      readonly name?: string | undefined
      readonly description?: string | undefined
      readonly strict?: boolean | undefined
    }

/** How much the model is to think first. */
export interface Reasoning {
  readonly effort?: ReasoningEffort | undefined
  /** Tokens it may think for; formats that count in efforts use the nearest. */
  readonly budgetTokens?: number | undefined
  /** The model decides for itself how much. */
  readonly adaptive?: boolean | undefined
  /** Whether the client wants to read along. */
  readonly visible?: boolean | undefined
}

/** From nothing to all there is. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** A place up to which the provider is to keep the prompt in its cache. */
export interface CacheMark {
  /** How long, such as `5m` or `1h`; undefined is the provider's default. */
  readonly ttl?: string | undefined
}
