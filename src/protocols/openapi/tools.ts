import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { bodyOf } from './body-of.ts'
import { Inconvertible, quoted } from './inconvertible.ts'
import { inputSchemaOf } from './input-schema.ts'
import type { OpenApiTool } from './open-api-tool.ts'
import { type Operation, operationsOf } from './operations-of.ts'
import { groupOf, parametersOf, type Place, places } from './parameters-of.ts'
import { readTemplate } from './path-template.ts'
import { own } from './plain-value.ts'
import { References } from './references.ts'
import { shortText } from './schema-keywords.ts'
import { SchemaPool } from './schema-pool.ts'
import { serverPrefix } from './server-prefix.ts'
import { ToolNames } from './tool-name.ts'
import { acceptOf } from './accept-of.ts'

/** What an OpenAPI document offers. */
export interface OpenApiOffer {
  readonly tools: readonly OpenApiTool[]
  /** Before every path: that of the document's server, without a slash at its end. */
  readonly prefix: string
  /** What was left out, and why: one text for each, with method and path. */
  readonly problems: readonly string[]
  /** Why the whole document is of no use; it is the only problem then. */
  readonly refusal: string | undefined
}

/**
 * Makes a tool of every operation of an OpenAPI 3.x document. Operations that cannot be tools are left out; a document
 * that is something else, or names several servers, is refused.
 *
 * It never fails, whatever the document is, and takes time linear in its length.
 */
export const toolsOf = (document: unknown): OpenApiOffer => {
  try {
    const { root, isOld } = checked(document)
    return new Offer(root, isOld, serverPrefix(root))
  } catch (error) {
    if (!(error instanceof Inconvertible)) throw error
    const refusal = `the document ${error.message}`
    return { tools: [], prefix: '', problems: [refusal], refusal }
  }
}

class Offer implements OpenApiOffer {
  readonly tools: readonly OpenApiTool[]
  readonly prefix: string
  readonly problems: readonly string[]
  readonly refusal = undefined
  readonly #references: References
  readonly #pool: SchemaPool
  readonly #names = new ToolNames()

  constructor(document: JsonObject, isOld: boolean, prefix: string) {
    this.prefix = prefix
    this.#references = new References(document)
    this.#pool = new SchemaPool(this.#references, isOld)
    const tools: OpenApiTool[] = []
    const problems: string[] = []
    const trouble = (place: string, reason: string) =>
      void problems.push(`${shortText(place, 256)} ${reason}`)
    for (const operation of operationsOf(document, this.#references, trouble)) {
      const place = `${operation.method} ${operation.path}`
      try {
        tools.push(this.#tool(operation, place, (reason) => trouble(place, reason)))
      } catch (error) {
        if (!(error instanceof Inconvertible)) throw error
        trouble(place, error.message)
      }
    }
    this.tools = tools
    this.problems = problems
  }

  #tool(operation: Operation, place: string, leftOut: (reason: string) => void): OpenApiTool {
    const { method, path, source, pathItem } = operation
    const { operationId, summary, description } = source
    if (typeof operationId !== 'string' || operationId === '') throw new Inconvertible('has no `operationId`')
    if (!path.startsWith('/')) throw new Inconvertible('has a path that does not begin with a slash')
    if (own(source, 'servers') !== undefined || own(pathItem, 'servers') !== undefined)
      throw new Inconvertible('is on a server of its own')
    const parameters = parametersOf(operation, this.#references, this.#pool, leftOut)
    const at = (wanted: Place) => parameters.filter(({ place }) => place === wanted).map(({ plan }) => plan)
    const template = readTemplate(path, new Map(at('path').map((plan) => [plan.name, plan])))
    const used = parameters.filter(({ place, plan }) => place !== 'path' || template.includes(plan))
    const body = bodyOf(operation, this.#references, this.#pool)
    const groups = [...places.map((one) => groupOf(one, used)), body?.group]
    const inputSchema = inputSchemaOf(groups.filter((group) => group !== undefined))
    const name = this.#names.nameFor(operationId, place)
    const title = shortText(summary, 64)
    return {
      name,
      ...(title && { title }),
      description: [shortText(description), shortText(summary), name].find((text) => text) as string,
      inputSchema,
      annotations: annotationsOf(method, title),
      plan: {
        method,
        path: template,
        query: at('query'),
        header: at('header'),
        cookie: at('cookie'),
        body: body?.plan,
        accept: acceptOf(source, this.#references),
      },
    }
  }
}

const checked = (document: unknown): { readonly root: JsonObject; readonly isOld: boolean } => {
  if (!isJsonObject(document)) throw new Inconvertible('is no object')
  const { openapi, swagger } = document
  if (swagger !== undefined)
    throw new Inconvertible(
      `is of Swagger ${shortText(JSON.stringify(swagger), 16)}; convert it to OpenAPI 3 first, for instance with swagger2openapi`,
    )
  if (typeof openapi !== 'string' || !/^3\.\d/.test(openapi))
    throw new Inconvertible(
      `says nothing of being OpenAPI 3.x: its \`openapi\` is ${quoted(JSON.stringify(openapi ?? null))}`,
    )
  if (!isJsonObject(own(document, 'paths'))) throw new Inconvertible('has no `paths`')
  return { root: document, isOld: openapi.startsWith('3.0') }
}

/** Says of a tool what its method says of a request (RFC 9110 §9.2). */
const annotationsOf = (method: string, title: string | undefined): JsonObject => ({
  ...(title && { title }),
  readOnlyHint: ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method),
  ...(['PUT', 'DELETE'].includes(method) && { idempotentHint: true }),
  ...(method === 'DELETE' && { destructiveHint: true }),
})
