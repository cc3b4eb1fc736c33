import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Tool, ToolChoice } from '../chat/request.ts'
import { cacheMarkIn } from './cache-control.ts'
import type { Losses } from '../dropped-fields.ts'
import { requestValues } from '../members/typed-fields.ts'

/** The signature that Google's endpoints of this format attach to a tool call, and require back with it. */
export const callSignatureIn = (call: JsonObject): string | undefined => {
  const signature = jsonObjectOr(jsonObjectOr(call.extra_content).google).thought_signature
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

/** The member that contains the signature; empty without one. */
export const callSignature = (signature: string | undefined): JsonObject =>
  signature ? { extra_content: { google: { thought_signature: signature } } } : {}

/** The tools and tool choice of a request. */
export interface RequestedTools {
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
}

/**
 * Reads `tools` and `tool_choice` (OpenAI Chat Completions), and their predecessors `functions` and `function_call`. A
 * choice of a few tools removes the others: the model may not call them.
 *
 * @throws BadRequest
 */
export const decodeTools = (body: JsonObject, losses: Losses): RequestedTools => {
  const tools = [
    ...requestValues
      .listOrNone(body.tools, 'tools')
      .flatMap((tool, i) => decodeTool(tool, `tools[${i}]`, losses)),
    ...requestValues.listOrNone(body.functions, 'functions').map((value, i) => {
      const at = `functions[${i}]`
      return functionOf(requestValues.object(value, at), at)
    }),
  ]
  return body.tool_choice === undefined || body.tool_choice === null
    ? { tools, ...legacyChoice(body.function_call) }
    : choose(body.tool_choice, tools, losses)
}

const decodeTool = (value: unknown, at: string, losses: Losses): readonly Tool[] => {
  const tool = requestValues.object(value, at)
  const type = requestValues.textIfAny(tool.type, `${at}.type`) ?? 'function'
  if (type !== 'function') {
    losses.drop(type === 'custom' ? 'tools.custom' : 'tools.type')
    return []
  }
  const cache = cacheMarkIn(tool, losses)
  const described = functionOf(requestValues.object(tool.function, `${at}.function`), `${at}.function`)
  return [cache ? { ...described, cache } : described]
}

const functionOf = (value: JsonObject, at: string): Tool => {
  const description = requestValues.textIfAny(value.description, `${at}.description`)
  const strict = requestValues.booleanIfAny(value.strict, `${at}.strict`)
  return {
    name: requestValues.text(value.name, `${at}.name`),
    ...(description !== undefined && { description }),
    parameters: requestValues.objectIfAny(value.parameters, `${at}.parameters`) ?? {
      type: 'object',
      properties: {},
    },
    ...(strict !== undefined && { strict }),
  }
}

const choose = (value: unknown, tools: readonly Tool[], losses: Losses): RequestedTools => {
  if (value === 'auto' || value === 'required' || value === 'none') return { tools, toolChoice: value }
  const choice = requestValues.object(value, 'tool_choice')
  switch (choice.type) {
    case 'function': {
      const { name } = requestValues.object(choice.function, 'tool_choice.function')
      return { tools, toolChoice: { tool: requestValues.text(name, 'tool_choice.function.name') } }
    }
    case 'allowed_tools':
      return allow(requestValues.object(choice.allowed_tools, 'tool_choice.allowed_tools'), tools, losses)
    case 'custom':
      losses.drop('tool_choice.custom')
      return { tools }
    default:
      throw new BadRequest('tool_choice is not supported')
  }
}

const allow = (allowed: JsonObject, tools: readonly Tool[], losses: Losses): RequestedTools => {
  const { mode } = allowed
  if (mode !== 'auto' && mode !== 'required')
    throw new BadRequest('tool_choice.allowed_tools.mode must be auto or required')
  const names = new Set(
    requestValues.list(allowed.tools, 'tool_choice.allowed_tools.tools').map((tool) => {
      const { function: called } = jsonObjectIn(tool) ?? {}
      return jsonObjectIn(called)?.name
    }),
  )
  const left = tools.filter(({ name }) => names.has(name))
  if (left.length > 0) return { tools: left, toolChoice: mode }
  losses.drop('tool_choice.allowed_tools')
  return { tools, toolChoice: 'none' }
}

const legacyChoice = (value: unknown): { readonly toolChoice?: ToolChoice } => {
  if (value === undefined || value === null) return {}
  if (value === 'auto' || value === 'none') return { toolChoice: value }
  const { name } = requestValues.object(value, 'function_call')
  return { toolChoice: { tool: requestValues.text(name, 'function_call.name') } }
}
