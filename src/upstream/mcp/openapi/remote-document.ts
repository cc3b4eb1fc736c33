import { Fault } from '../../model/fault.ts'
import { readJsonOrYaml } from '../../protocols/yaml/json-or-yaml.ts'
import type { DependencyReport } from '../dependencies.ts'
import type { Closable } from '../leaving.ts'
import { DocumentClient } from '../remote-document.ts'
import { OpenApiTools } from './openapi-tools.ts'

/** Where a document is, and who hears how it went. */
export interface RemoteOpenApiOptions {
  readonly url: string
  readonly report: DependencyReport
  /** How long nobody asks again after a failure. */
  readonly retryMs?: number
}

const TIMEOUT_MS = 15_000
const LIMIT_BYTES = 32 * 1024 * 1024
/** A megabyte of YAML takes a second, in which nothing else goes on; of JSON, a hundredth of that. In characters. */
const YAML_LIMIT = 8 * 1024 * 1024
const RETRY_MS = 5_000

/**
 * The tools of a document at an address. It is fetched when it is first needed, and again when it is out of date; all who
 * need it share one request, and an old document is better than none.
 */
export class RemoteOpenApiTools implements Closable {
  readonly #options: RemoteOpenApiOptions
  readonly #client = new DocumentClient(TIMEOUT_MS, LIMIT_BYTES)
  readonly #closing = new AbortController()
  #known: OpenApiTools | undefined = undefined
  #etag: string | undefined = undefined
  #freshUntil = 0
  #failed: Fault | undefined = undefined
  #asking: Promise<OpenApiTools> | undefined = undefined

  constructor(options: RemoteOpenApiOptions) {
    this.#options = options
  }

  /** Rejects with `Fault` `mcp_openapi_unavailable` if there never was a document, and is none now. */
  current(): OpenApiTools | Promise<OpenApiTools> {
    const isFresh = performance.now() < this.#freshUntil
    if (isFresh && this.#known) return this.#known
    if (isFresh && this.#failed) return Promise.reject(this.#failed)
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  async destroy(): Promise<void> {
    this.#closing.abort()
    this.#options.report.end()
    await this.#client.destroy()
  }

  async #ask(): Promise<OpenApiTools> {
    const { url, report, retryMs = RETRY_MS } = this.#options
    try {
      const { text, etag, freshForMs } = await this.#client.fetch({
        url,
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.1',
        etag: this.#known && this.#etag,
        signal: this.#closing.signal,
      })
      const tools = text === undefined && this.#known ? this.#known : toolsIn(text ?? '')
      this.#known = tools
      this.#etag = etag
      this.#freshUntil = performance.now() + freshForMs
      report.ready()
      return tools
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      report.failed(reason)
      this.#freshUntil = performance.now() + retryMs
      if (this.#known) return this.#known
      throw (this.#failed = unavailable(error))
    }
  }
}

const toolsIn = (text: string): OpenApiTools => {
  const tools = new OpenApiTools(documentIn(text))
  if (tools.refusal !== undefined) throw new Error(tools.refusal)
  return tools
}

/** @throws Error that says where and why it cannot be read. */
const documentIn = (text: string): unknown => {
  const read = readJsonOrYaml(text, YAML_LIMIT)
  if ('value' in read) return read.value
  throw new Error(`line ${read.line}, column ${read.column}: ${read.problem}`)
}

const unavailable = (cause: unknown): Fault =>
  new Fault('mcp_openapi_unavailable', 'mcp: the OpenAPI document of a target cannot be had', {
    status: 503,
    reason: 'MCP',
    cause,
  })
