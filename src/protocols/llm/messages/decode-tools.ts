import type { Tool, ToolChoice } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheMarkOf } from './cache-control.ts'

/** Decodes the tools of a request. Tools that run at Anthropic, or whose schema is built in there, are losses. */
export const toolsOf = (body: Fields, losses: Losses): Tool[] => {
  const tools: Tool[] = []
  for (const tool of body.list('tools')) {
    const type = tool.text('type')
    if (type === undefined || type === 'custom') tools.push(toolOf(tool, losses))
    // Their types contain dates: too many values for a metric label.
    else losses.drop('tools.type')
  }
  return tools
}

/** The tool choice of a request. */
export interface ToolUse {
  readonly toolChoice?: ToolChoice
  readonly parallelTools?: boolean
}

/** Decodes `tool_choice`, which also controls parallel calls. */
export const toolUseOf = (body: Fields): ToolUse => {
  const choice = body.fields('tool_choice')
  if (!choice) return {}
  const disabled = choice.flag('disable_parallel_tool_use')
  return {
    toolChoice: toolChoiceOf(choice),
    ...(disabled !== undefined && { parallelTools: !disabled }),
  }
}

const toolChoiceOf = (choice: Fields): ToolChoice => {
  switch (choice.neededText('type')) {
    case 'auto':
      return 'auto'
    case 'any':
      return 'required'
    case 'none':
      return 'none'
    case 'tool':
      return { tool: choice.neededText('name') }
    default:
      return choice.refuse('type', 'must be one of auto, any, tool, none')
  }
}

const toolOf = (tool: Fields, losses: Losses): Tool => {
  const description = tool.text('description')
  const strict = tool.flag('strict')
  const cache = cacheMarkOf(tool)
  tool.dropOthers(toolFields, otherFields, 'tools.', losses)
  return {
    name: tool.neededText('name'),
    ...(description !== undefined && { description }),
    parameters: tool.neededFields('input_schema').object,
    ...(strict !== undefined && { strict }),
    ...(cache && { cache }),
  }
}

const toolFields = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

const otherFields = new Set(['allowed_callers', 'defer_loading', 'eager_input_streaming', 'input_examples'])
