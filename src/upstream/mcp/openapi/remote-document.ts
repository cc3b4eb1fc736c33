import { Fault } from '../../../model/exchange/fault.ts'
import { readJsonOrYaml } from '../../../protocols/yaml/json-or-yaml.ts'
import type { DependencyReport } from '../../dependency-status.ts'
import type { Closable } from '../../draining.ts'
import { DocumentClient } from '../../jwks/remote-document.ts'
import { OpenApiTools } from './tools.ts'

/** Options of a remote document. */
export interface RemoteOpenApiOptions {
  readonly url: string
  readonly report: DependencyReport
  /** Delay after a failure before the next fetch. */
  readonly retryMs?: number
}

const TIMEOUT_MS = 15_000
const LIMIT_BYTES = 32 * 1024 * 1024
/** A megabyte of YAML blocks the event loop for a second; of JSON, a hundredth of that. In characters. */
const YAML_LIMIT = 8 * 1024 * 1024
const RETRY_MS = 5_000

/**
 * The tools of a remote document. It is fetched on first use, and again when stale; concurrent users share one request,
 * and a stale document is better than none.
 */
export class RemoteOpenApiTools implements Closable {
  readonly #options: RemoteOpenApiOptions
  readonly #client = new DocumentClient(TIMEOUT_MS, LIMIT_BYTES)
  readonly #closing = new AbortController()
  #known: OpenApiTools | undefined = undefined
  #etag: string | undefined = undefined
  #freshUntil = 0
  #failed: Fault | undefined = undefined
  #fetching: Promise<OpenApiTools> | undefined = undefined

  constructor(options: RemoteOpenApiOptions) {
    this.#options = options
  }

  /** Rejects with `Fault` `mcp_openapi_unavailable` if no document was ever fetched. */
  current(): OpenApiTools | Promise<OpenApiTools> {
    const isFresh = performance.now() < this.#freshUntil
    if (isFresh && this.#known) return this.#known
    if (isFresh && this.#failed) return Promise.reject(this.#failed)
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async close(): Promise<void> {
    await this.destroy()
  }

  async destroy(): Promise<void> {
    this.#closing.abort()
    this.#options.report.end()
    await this.#client.destroy()
  }

  async #fetch(): Promise<OpenApiTools> {
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

/** @throws Error with the position and the reason. */
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
