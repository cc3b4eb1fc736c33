import type { JsonObject } from '../../json/json-object.ts'
import type { ToolCallPart } from '../chat/parts.ts'
import { callSignature } from './call-signature.ts'

/** Writes an element of `tool_calls` (OpenAI Chat Completions, `ChatCompletionMessageFunctionToolCall`). */
export const encodeCall = ({ id, name, arguments: args, signature }: ToolCallPart): JsonObject => ({
  id,
  type: 'function',
  // Who calls without arguments may have written nothing, which is no JSON.
  function: { name, arguments: args === '' ? '{}' : args },
  ...callSignature(signature),
})
