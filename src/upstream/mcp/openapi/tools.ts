import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import type { OpenApiTool } from '../../../protocols/openapi/open-api-tool.ts'
import { openApiTools } from '../../../protocols/openapi/tools.ts'

/** Tools per page. Some clients read lists up to a size, others take a second for each page. */
const PAGE = 500

/** Source of tools: a local document, or one that may have to be fetched. */
export interface OpenApiSource {
  /** Rejects with a `Fault` if there are none. */
  current(): OpenApiTools | Promise<OpenApiTools>
}

/** The tools of one OpenAPI document, made once for all sessions. */
export class OpenApiTools implements OpenApiSource {
  /** Prefix of every path, unless configured otherwise. */
  readonly prefix: string
  /** Operations that could not become tools, and why; for the log. */
  readonly problems: readonly string[]
  /** Why the whole document is unusable. */
  readonly refusal: string | undefined
  /** Title and version, as the document has them. */
  readonly info: { readonly title: string | undefined; readonly version: string }
  readonly #byName: ReadonlyMap<string, OpenApiTool>
  readonly #listed: readonly JsonObject[]

  constructor(document: unknown) {
    const { tools, prefix, problems, refusal } = openApiTools(document)
    this.prefix = prefix
    this.problems = problems
    this.refusal = refusal
    this.info = infoOf(document)
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]))
    this.#listed = tools.map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema,
      annotations,
    }))
  }

  current(): this {
    return this
  }

  get size(): number {
    return this.#listed.length
  }

  find(name: string): OpenApiTool | undefined {
    return this.#byName.get(name)
  }

  /** A page of the list; undefined for an unknown cursor. */
  page(cursor: unknown): JsonObject | undefined {
    const start =
      cursor === undefined ? 0 : typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? +cursor : -1
    if (start < 0 || start % PAGE !== 0 || (start > 0 && start >= this.size)) return undefined
    const end = start + PAGE
    return { tools: this.#listed.slice(start, end), ...(end < this.size && { nextCursor: String(end) }) }
  }
}

const infoOf = (document: unknown): OpenApiTools['info'] => {
  const { info } = (document ?? {}) as { readonly info?: Readonly<Record<string, unknown>> | null }
  const title = info?.title
  const version = info?.version
  return {
    title: typeof title === 'string' && title !== '' ? title.slice(0, 256) : undefined,
    version: typeof version === 'string' && version !== '' ? version.slice(0, 64) : '0',
  }
}
