import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { OpenApiTool } from '../../../src/protocols/openapi/open-api-tool.ts'
import { openApiTools } from '../../../src/protocols/openapi/tools.ts'

/** A document of the corpus, parsed anew. */
export const openApiDocument = (file: string): unknown => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return file.endsWith('.json') ? JSON.parse(text) : parse(text)
}

/** The tools of a document of the corpus, by their names. */
export const toolsIn = (file: string): ReadonlyMap<string, OpenApiTool> =>
  new Map(openApiTools(openApiDocument(file)).tools.map((tool) => [tool.name, tool]))

/** One of them. */
export const toolIn = (file: string, name: string): OpenApiTool => {
  const tool = toolsIn(file).get(name)
  if (!tool) throw new Error(`${file} has no tool ${name}`)
  return tool
}
