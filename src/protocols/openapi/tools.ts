import { createHash } from 'node:crypto'
import { normalizeTarget } from '../http/path.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { bodyOf } from './request-body.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import { inputSchemaOf } from './input-schema.ts'
import type { OpenApiTool, ParameterPlan } from './open-api-tool.ts'
import { type Operation, operationsOf } from './operations.ts'
import { groupOf, parametersOf, type ParameterLocation, parameterLocations } from './parameters.ts'
import { own } from './own-property.ts'
import { References } from './references.ts'
import { shortText } from './schema-keywords.ts'
import { SchemaPool } from './schema-pool.ts'
import { serverPrefix } from './server-prefix.ts'
import { acceptOf } from './response-media-types.ts'

/** The tools of an OpenAPI document. */
export interface OpenApiOffer {
  readonly tools: readonly OpenApiTool[]
  /** The path of the document's server, before every path, without a trailing slash. */
  readonly prefix: string
  /** The operations that were left out, with the reason: one text for each, with method and path. */
  readonly problems: readonly string[]
  /** Why the whole document is refused; it is the only problem then. */
  readonly refusal: string | undefined
}

/**
 * Converts every operation of an OpenAPI 3.x document to a tool. Operations that cannot be tools are left
 * out; a document of another format, or with several servers, is refused.
 *
 * Never throws, and takes time linear in the document's length.
 */
export const openApiTools = (document: unknown): OpenApiOffer => {
  try {
    const { root, isOld } = checked(document)
    return new Offer(root, isOld, serverPrefix(root))
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
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
    const trouble = (location: string, reason: string) =>
      void problems.push(`${shortText(location, 256)} ${reason}`)
    for (const operation of operationsOf(document, this.#references, trouble)) {
      const location = `${operation.method} ${operation.path}`
      try {
        tools.push(this.#tool(operation, location, (reason) => trouble(location, reason)))
      } catch (error) {
        if (!(error instanceof ConversionError)) throw error
        trouble(location, error.message)
      }
    }
    this.tools = tools
    this.problems = problems
  }

  #tool(operation: Operation, location: string, onOmitted: (reason: string) => void): OpenApiTool {
    const { method, path, source, pathItem } = operation
    const { operationId, summary, description } = source
    if (typeof operationId !== 'string' || operationId === '')
      throw new ConversionError('has no `operationId`')
    if (!path.startsWith('/')) throw new ConversionError('has a path that does not begin with a slash')
    if (own(source, 'servers') !== undefined || own(pathItem, 'servers') !== undefined)
      throw new ConversionError('is on a server of its own')
    const parameters = parametersOf(operation, this.#references, this.#pool, onOmitted)
    const at = (wanted: ParameterLocation) =>
      parameters.filter(({ location }) => location === wanted).map(({ plan }) => plan)
    const template = readTemplate(path, new Map(at('path').map((plan) => [plan.name, plan])))
    const used = parameters.filter(({ location, plan }) => location !== 'path' || template.includes(plan))
    const body = bodyOf(operation, this.#references, this.#pool)
    const groups = [...parameterLocations.map((one) => groupOf(one, used)), body?.group]
    const inputSchema = inputSchemaOf(groups.filter((group) => group !== undefined))
    const name = this.#names.nameFor(operationId, location)
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
  if (!isJsonObject(document)) throw new ConversionError('is no object')
  const { openapi, swagger } = document
  if (swagger !== undefined)
    throw new ConversionError(
      `is of Swagger ${shortText(JSON.stringify(swagger), 16)}; convert it to OpenAPI 3 first, for instance with swagger2openapi`,
    )
  if (typeof openapi !== 'string' || !/^3\.\d/.test(openapi))
    throw new ConversionError(
      `says nothing of being OpenAPI 3.x: its \`openapi\` is ${quoted(JSON.stringify(openapi ?? null))}`,
    )
  if (!isJsonObject(own(document, 'paths'))) throw new ConversionError('has no `paths`')
  return { root: document, isOld: openapi.startsWith('3.0') }
}

/** Annotations of a tool from the properties of its method (RFC 9110 §9.2). */
const annotationsOf = (method: string, title: string | undefined): JsonObject => ({
  ...(title && { title }),
  readOnlyHint: ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method),
  ...(['PUT', 'DELETE'].includes(method) && { idempotentHint: true }),
  ...(method === 'DELETE' && { destructiveHint: true }),
})

/** Parses a path with `{name}`s: literal texts, and the plans of the parameters between them. */
const readTemplate = (
  template: string,
  parameters: ReadonlyMap<string, ParameterPlan>,
): readonly (string | ParameterPlan)[] => {
  const parts = template.split(/\{([^{}]*)\}/).map((part, i) => {
    if (i % 2 === 0) return literal(part)
    const plan = parameters.get(part)
    if (!plan) throw new ConversionError(`does not describe the parameter ${quoted(part)} of its path`)
    return plan
  })
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('')
  const normal = normalizeTarget(sample, { encodedSlashes: 'refuse', mergeSlashes: false })
  if (typeof normal === 'string' || normal.target !== sample || normal.query !== '')
    throw new ConversionError('has a path that is none')
  return parts.filter((part) => part !== '')
}

/** Escapes characters that are invalid in a path. Existing escapes are kept. */
const literal = (text: string): string => {
  if (/[{}?#]/.test(text) || !text.isWellFormed()) throw new ConversionError('has a path that is none')
  return encodeURI(text).replaceAll('%25', '%').replaceAll('[', '%5B').replaceAll(']', '%5D')
}

/** The limit of clients and of model APIs. */
const MAX_NAME_LENGTH = 64

/**
 * Unique names for tools. A name that is too long, or taken, ends in a hash that depends on the operation
 * alone, not on its position.
 */
class ToolNames {
  readonly #taken = new Set<string>()

  /** @param location A unique key of the operation, such as its method and path. */
  nameFor(operationId: string, location: string): string {
    const plain = operationId.replace(/[^A-Za-z0-9_.-]+/g, '_')
    const isFree = plain.length <= MAX_NAME_LENGTH && plain !== '' && !this.#taken.has(plain)
    const name = isFree ? plain : this.#marked(plain, location)
    this.#taken.add(name)
    return name
  }

  #marked(plain: string, location: string): string {
    for (let i = 0; ; i++) {
      const mark = createHash('sha256').update(`${location}\n${i}`).digest('hex').slice(0, 8)
      const name = `${plain.slice(0, MAX_NAME_LENGTH - 1 - mark.length)}_${mark}`
      if (!this.#taken.has(name)) return name
    }
  }
}
