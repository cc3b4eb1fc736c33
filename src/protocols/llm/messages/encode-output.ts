import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, OutputShape } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import type { Thinking } from './encode-thinking.ts'

/** Writes `output_config`: what the answer must look like, and how much effort goes into it. */
export const outputConfig = (request: ChatRequest, thinking: Thinking, losses: Losses): JsonObject => {
  const config = {
    ...(request.output && { format: formatOf(request.output, losses) }),
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

const formatOf = (output: OutputShape, losses: Losses): JsonObject => {
  if (output.type === 'json') return { type: 'json_schema', schema: { type: 'object' } }
  if (output.name !== undefined) losses.drop('response_format.name')
  if (output.description !== undefined) losses.drop('response_format.description')
  // Schemas are always kept to.
  if (output.strict === false) losses.drop('response_format.strict')
  return { type: 'json_schema', schema: output.schema }
}
