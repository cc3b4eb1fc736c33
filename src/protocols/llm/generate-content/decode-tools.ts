import type { Tool, ToolChoice } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { knownFields } from './known-fields.ts'
import { jsonSchemaOf } from './schema.ts'

/** The functions of `tools`; tools that Google runs itself are dropped. */
export const decodeTools = (tools: readonly Fields[], losses: Losses): readonly Tool[] =>
  tools.flatMap((tool) => {
    tool.dropOthers(readOfTool, knownFields.tool, 'tools.', losses)
    return tool.list('functionDeclarations').map((declaration) => decodeDeclaration(declaration, losses))
  })

/** The tool choice of `toolConfig`. */
export const decodeToolChoice = (toolConfig: Fields | undefined, losses: Losses): ToolChoice | undefined => {
  if (!toolConfig) return undefined
  toolConfig.dropOthers(readOfToolConfig, knownFields.toolConfig, 'toolConfig.', losses)
  const calling = toolConfig.fields('functionCallingConfig')
  if (!calling) return undefined
  const prefix = 'toolConfig.functionCallingConfig.'
  calling.dropOthers(readOfCalling, knownFields.functionCallingConfig, prefix, losses)
  const mode = calling.text('mode')?.toUpperCase()
  const [only, ...more] = calling.texts('allowedFunctionNames')
  if (mode === 'ANY' && only !== undefined && more.length === 0) return { tool: only }
  if (only !== undefined) losses.drop(`${prefix}allowedFunctionNames`)
  if (mode === undefined || mode === 'MODE_UNSPECIFIED') return undefined
  // `VALIDATED` is `AUTO` with arguments that match the schema.
  if (mode === 'VALIDATED') losses.drop(`${prefix}mode`)
  return choices.get(mode) ?? calling.refuse('mode', 'must be AUTO, ANY, NONE or VALIDATED')
}

const decodeDeclaration = (declaration: Fields, losses: Losses): Tool => {
  declaration.dropOthers(
    readOfDeclaration,
    knownFields.functionDeclaration,
    'tools.functionDeclarations.',
    losses,
  )
  const schema = declaration.json('parameters')
  return {
    name: declaration.neededText('name'),
    description: declaration.text('description'),
    parameters:
      declaration.json('parametersJsonSchema') ??
      (schema ? jsonSchemaOf(schema) : { type: 'object', properties: {} }),
  }
}

const choices = new Map<string, ToolChoice>([
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
])
const readOfTool = new Set(['functionDeclarations'])
const readOfToolConfig = new Set(['functionCallingConfig'])
const readOfCalling = new Set(['mode', 'allowedFunctionNames'])
const readOfDeclaration = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
