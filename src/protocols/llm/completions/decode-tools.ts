import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { cacheMarkIn } from './cache-mark.ts'
import { asked } from '../checked.ts'

/** What a request says of tools. */
export interface ToolsAsked {
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
}

/**
 * Reads `tools` and `tool_choice` (OpenAI Chat Completions), and `functions` and `function_call`, which came before them.
 * A choice of a few tools leaves the others out: the model may not call them.
 *
 * @throws BadRequest
 */
export const decodeTools = (body: JsonObject, losses: Losses): ToolsAsked => {
  const tools = [
    ...asked.listOrNone(body.tools, 'tools').flatMap((tool, i) => decodeTool(tool, `tools[${i}]`, losses)),
    ...asked.listOrNone(body.functions, 'functions').map((value, i) => {
      const at = `functions[${i}]`
      return functionOf(asked.object(value, at), at)
    }),
  ]
  return body.tool_choice === undefined || body.tool_choice === null
    ? { tools, ...legacyChoice(body.function_call) }
    : choose(body.tool_choice, tools, losses)
}

const decodeTool = (value: unknown, at: string, losses: Losses): readonly Tool[] => {
  const tool = asked.object(value, at)
  const type = asked.textIfAny(tool.type, `${at}.type`) ?? 'function'
  if (type !== 'function') {
    losses.drop(type === 'custom' ? 'tools.custom' : 'tools.type')
    return []
  }
  const cache = cacheMarkIn(tool, losses)
  const described = functionOf(asked.object(tool.function, `${at}.function`), `${at}.function`)
  return [cache ? { ...described, cache } : described]
}

const functionOf = (value: JsonObject, at: string): Tool => {
  const description = asked.textIfAny(value.description, `${at}.description`)
  const strict = asked.booleanIfAny(value.strict, `${at}.strict`)
  return {
    name: asked.text(value.name, `${at}.name`),
    ...(description !== undefined && { description }),
    parameters: asked.objectIfAny(value.parameters, `${at}.parameters`) ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  }
}

const choose = (value: unknown, tools: readonly Tool[], losses: Losses): ToolsAsked => {
  if (value === 'auto' || value === 'required' || value === 'none') return { tools, toolChoice: value }
  const choice = asked.object(value, 'tool_choice')
  switch (choice.type) {
    case 'function': {
      const { name } = asked.object(choice.function, 'tool_choice.function')
      return { tools, toolChoice: { tool: asked.text(name, 'tool_choice.function.name') } }
    }
    case 'allowed_tools':
      return allow(asked.object(choice.allowed_tools, 'tool_choice.allowed_tools'), tools, losses)
    case 'custom':
      losses.drop('tool_choice.custom')
      return { tools }
    default:
      throw new BadRequest('tool_choice is not supported')
  }
}

const allow = (allowed: JsonObject, tools: readonly Tool[], losses: Losses): ToolsAsked => {
  const { mode } = allowed
  if (mode !== 'auto' && mode !== 'required')
    throw new BadRequest('tool_choice.allowed_tools.mode must be auto or required')
  const names = new Set(
    asked.list(allowed.tools, 'tool_choice.allowed_tools.tools').map((tool) => {
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
  const { name } = asked.object(value, 'function_call')
  return { toolChoice: { tool: asked.text(name, 'function_call.name') } }
}
