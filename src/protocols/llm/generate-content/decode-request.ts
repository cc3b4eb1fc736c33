import type { JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeConfig } from './decode-config.ts'
import { decodeContents, decodeInstructions } from './decode-contents.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { knownFields } from './known-fields.ts'
import { requestRules } from './rules.ts'

/** Decodes `GenerateContentRequest` (Gemini API and Vertex AI), in either spelling of its field names. */
export const decodeRequest = (body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest => {
  const request = new Fields(body, '', requestRules)
  request.dropOthers(readOfRequest, knownFields.request, '', losses)
  const turns = decodeContents(request.list('contents'), losses)
  if (turns.length === 0) request.refuse('contents', 'is missing')
  return {
    model: target.model ?? request.neededText('model').replace(/^models\//, ''),
    instructions: decodeInstructions(request.fields('systemInstruction'), losses),
    turns,
    tools: decodeTools(request.list('tools'), losses),
    toolChoice: decodeToolChoice(request.fields('toolConfig'), losses),
    ...decodeConfig(request.fields('generationConfig'), losses),
    serviceTier: request.text('serviceTier'),
    streaming: target.streaming ?? false,
    includeUsage: true,
  }
}

const readOfRequest = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'serviceTier',
])
