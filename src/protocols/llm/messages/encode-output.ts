import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, OutputShape } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import type { Thinking } from './encode-thinking.ts'

/** Encodes `output_config`: the output format and the effort. */
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
  // Schemas are always strict.
  if (output.strict === false) losses.drop('response_format.strict')
  return { type: 'json_schema', schema: output.schema }
}
