import type { McpOpenApi } from '../../model/mcp.ts'
import type * as File from '../file-types.gen.ts'
import { readJsonOrYaml } from '../../protocols/yaml/json-or-yaml.ts'
import { fileText } from './context.ts'
import type { Context } from './context.ts'

/** The document of an HTTP interface, read where it is at hand. */
export function openApiDocument(
  schema: NonNullable<File.McpTarget['openapi']>['schema'],
  context: Pick<Context, 'files'>,
): McpOpenApi['document'] {
  if (typeof schema === 'string') return { parsed: parsed(schema) }
  const { file, url, inline } = schema
  if (url !== undefined) return { url }
  if (file !== undefined) return { parsed: parsed(fileText(context, file)) }
  return { parsed: typeof inline === 'string' ? parsed(inline) : inline }
}

function parsed(text: string): unknown {
  const read = readJsonOrYaml(text)
  if ('value' in read) return read.value
  throw new TypeError(`a document with ${read.problem}; the checks should have refused it`)
}
