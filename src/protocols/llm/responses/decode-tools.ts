import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { requestValues, isAbsent } from '../members/typed-fields.ts'

/** The tools of a request and the tool choice. */
export interface Tooling {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | undefined
}

/**
 * Decodes `tools` and `tool_choice` (`Tool`, `ToolChoiceOptions`, `ToolChoiceFunction` and `ToolChoiceAllowed` of the SDK).
 *
 * All formats have functions, but no other tools. A choice among some of the tools drops the others, which is the same
 * to the model. A choice of a dropped tool is dropped too.
 */
export const decodeTools = (body: JsonObject, losses: Losses): Tooling => {
  const tools: Tool[] = []
  for (const [i, tool] of requestValues.listOrNone(body.tools, 'tools').entries()) {
    const found = decodeTool(requestValues.object(tool, `tools[${i}]`), `tools[${i}]`, losses)
    if (found) tools.push(found)
  }
  const choice = body.tool_choice
  if (isAbsent(choice)) return { tools, toolChoice: undefined }
  if (typeof choice === 'string') {
    if (choice !== 'auto' && choice !== 'none' && choice !== 'required')
      throw new BadRequest('tool_choice must be none, auto, required or an object')
    if (choice === 'required' && tools.length === 0) losses.drop('tool_choice')
    return { tools, toolChoice: tools.length === 0 ? undefined : choice }
  }
  return decodeChoice(requestValues.object(choice, 'tool_choice'), tools, losses)
}

const decodeTool = (tool: JsonObject, field: string, losses: Losses): Tool | undefined => {
  const type = requestValues.text(tool.type, `${field}.type`)
  if (type !== 'function') {
    losses.drop(knownTools.has(type) ? `tools.${type}` : 'tools.unknown')
    return undefined
  }
  for (const name of unplaced) if (!isAbsent(tool[name]) && tool[name] !== false) losses.drop(`tools.${name}`)
  return {
    name: requestValues.word(tool.name, `${field}.name`),
    description: requestValues.textIfAny(tool.description, `${field}.description`),
    parameters: requestValues.objectIfAny(tool.parameters, `${field}.parameters`) ?? {
      type: 'object',
      properties: {},
    },
    strict: requestValues.booleanIfAny(tool.strict, `${field}.strict`),
  }
}

const decodeChoice = (choice: JsonObject, tools: readonly Tool[], losses: Losses): Tooling => {
  if (choice.type === 'function') {
    const tool = requestValues.text(choice.name, 'tool_choice.name')
    if (tools.some(({ name }) => name === tool)) return { tools, toolChoice: { tool } }
    throw new BadRequest('tool_choice.name must be the name of one of the tools')
  }
  if (choice.type !== 'allowed_tools') {
    losses.drop('tool_choice')
    return { tools, toolChoice: undefined }
  }
  const mode = choice.mode
  if (mode !== 'auto' && mode !== 'required')
    throw new BadRequest('tool_choice.mode must be auto or required')
  const names = new Set(
    requestValues
      .list(choice.tools, 'tool_choice.tools')
      .map((tool, i) => requestValues.object(tool, `tool_choice.tools[${i}]`).name),
  )
  const allowed = tools.filter(({ name }) => names.has(name))
  if (allowed.length === 0 && mode === 'required') losses.drop('tool_choice')
  return { tools: allowed, toolChoice: allowed.length === 0 ? undefined : mode }
}

/** Fields of a function without an equivalent in other formats. */
const unplaced = ['allowed_callers', 'async', 'defer_loading', 'output_schema']

const knownTools: ReadonlySet<string> = new Set([
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'custom',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'namespace',
  'programmatic_tool_calling',
  'shell',
  'tool_search',
  'web_search',
  'web_search_preview',
])
