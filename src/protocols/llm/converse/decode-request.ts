import type { JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { TextPart } from '../chat/parts.ts'
import type { ChatRequest, OutputShape, Tool, ToolChoice, Turn } from '../chat/request.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheMarkIn, decodeBlocks } from './decode-blocks.ts'
import { knownFields } from './known-fields.ts'
import { decodeReasoning } from './reasoning.ts'
import { requestRules } from './rules.ts'

/** Reads `ConverseRequest` (Amazon Bedrock Runtime). The model is in the path. */
export const decodeRequest = (body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest => {
  const request = new Fields(body, '', requestRules)
  request.dropOthers(readOfRequest, knownFields.request, '', losses)
  const toolConfig = request.fields('toolConfig')
  const inference = request.fields('inferenceConfig')
  const additional = request.fields('additionalModelRequestFields')
  const output = request.fields('outputConfig')
  const { instructions, turns } = decodeMessages(request, losses)
  return {
    model: target.model ?? request.neededText('modelId'),
    instructions,
    turns,
    tools: decodeTools(toolConfig?.list('tools') ?? [], losses),
    toolChoice: decodeChoice(toolConfig?.fields('toolChoice')),
    maxTokens: inference?.number('maxTokens'),
    temperature: inference?.number('temperature'),
    topP: inference?.number('topP'),
    topK: additional?.number('top_k'),
    stop: inference?.texts('stopSequences') ?? [],
    output: decodeOutput(output),
    reasoning: decodeReasoning(additional, output, losses),
    serviceTier: request.fields('serviceTier')?.text('type'),
    streaming: target.streaming ?? false,
    includeUsage: true,
  }
}

const decodeMessages = (
  request: Fields,
  losses: Losses,
): { readonly instructions: readonly TextPart[]; readonly turns: readonly Turn[] } => {
  const instructions = textsOf(request.list('system'), 'system', losses)
  const turns: Turn[] = []
  for (const message of request.list('messages')) {
    const role = message.text('role')
    const content = message.list('content')
    if (role === 'user' || role === 'assistant') turns.push({ role, parts: decodeBlocks(content, losses) })
    else if (role === 'system' && turns.length === 0)
      instructions.push(...textsOf(content, 'messages.content', losses))
    else if (role === 'system') turns.push({ role, parts: textsOf(content, 'messages.content', losses) })
    else message.refuse('role', 'must be user or assistant')
  }
  if (turns.length === 0) request.refuse('messages', 'is missing')
  return { instructions, turns }
}

const textsOf = (blocks: readonly Fields[], target: string, losses: Losses): TextPart[] => {
  const texts: TextPart[] = []
  for (const part of decodeBlocks(blocks, losses))
    if (part.type === 'text') texts.push(part)
    else losses.drop(target)
  return texts
}

const decodeTools = (entries: readonly Fields[], losses: Losses): readonly Tool[] => {
  const tools: Tool[] = []
  for (const entry of entries) {
    const spec = entry.fields('toolSpec')
    const point = entry.fields('cachePoint')
    const last = tools.at(-1)
    if (spec)
      tools.push({
        name: spec.neededText('name'),
        description: spec.text('description'),
        parameters: spec.neededFields('inputSchema').json('json') ?? { type: 'object', properties: {} },
        strict: spec.flag('strict'),
      })
    else if (point && last) tools[tools.length - 1] = { ...last, cache: cacheMarkIn(point) }
    else losses.drop(entry.has('systemTool') ? 'toolConfig.tools.systemTool' : 'toolConfig.tools.unknown')
  }
  return tools
}

const decodeChoice = (choice: Fields | undefined): ToolChoice | undefined => {
  if (!choice) return undefined
  const tool = choice.fields('tool')
  if (tool) return { tool: tool.neededText('name') }
  if (choice.has('any')) return 'required'
  return choice.has('auto') ? 'auto' : choice.refuse('auto', 'is missing, and so are any and tool')
}

const decodeOutput = (output: Fields | undefined): OutputShape | undefined => {
  const shape = output?.fields('textFormat')?.fields('structure')?.fields('jsonSchema')
  if (!shape) return undefined
  let schema: unknown
  try {
    schema = JSON.parse(shape.neededText('schema'))
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
  }
  if (typeof schema !== 'object' || schema === null)
    shape.refuse('schema', 'must be the text of a JSON Schema')
  return {
    type: 'schema',
    schema: schema as JsonObject,
    name: shape.text('name'),
    description: shape.text('description'),
  }
}

const readOfRequest = new Set([
  'modelId',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'additionalModelRequestFields',
  'serviceTier',
  'outputConfig',
])
