import type { JsonObject } from '../../../protocols/json-rpc/message.ts'
import {
  mirrorParams,
  mismatchedParam,
  type ParamHeader,
  paramHeaders,
} from '../../../protocols/mcp/param-headers.ts'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'

/** Which arguments of a server's tools are also sent as headers, as far as its list of tools is known. */
export class ToolFields {
  readonly #byTool = boundedCache<string, readonly ParamHeader[]>('mcp_tool_headers', { max: TOOLS_LIMIT })

  learn(tools: readonly JsonObject[]): void {
    for (const { name, inputSchema } of tools) {
      if (typeof name !== 'string') continue
      const found = paramHeaders(inputSchema)
      this.#byTool.set(name, 'headers' in found ? found.headers : [])
    }
  }

  /** The headers of a call: name, value …. */
  mirrored(method: string, params: JsonObject | undefined): string[] | undefined {
    const headers = this.#headersOf(method, params)
    return headers && mirrorParams(headers, argumentsOf(params))
  }

  /** The mismatch between headers and arguments of a call; undefined if there is none, or the tool is unknown. */
  mismatch(
    method: string,
    params: JsonObject | undefined,
    fields: { get(name: string): string | undefined },
  ): string | undefined {
    const headers = this.#headersOf(method, params)
    return headers && mismatchedParam(headers, argumentsOf(params), fields)
  }

  has(params: JsonObject | undefined): boolean {
    return typeof params?.name === 'string' && this.#byTool.has(params.name)
  }

  #headersOf(method: string, params: JsonObject | undefined): readonly ParamHeader[] | undefined {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined
    const headers = this.#byTool.get(params.name)
    return headers && headers.length > 0 ? headers : undefined
  }
}

const TOOLS_LIMIT = 10_000

const argumentsOf = (params: JsonObject | undefined): JsonObject | undefined => {
  const args = params?.arguments
  return typeof args === 'object' && args !== null ? (args as JsonObject) : undefined
}
