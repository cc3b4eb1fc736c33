import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { McpPhase } from './schema.ts'
import type { ErrorObject, JsonObject } from '../../../protocols/json-rpc/message.ts'
import { eitherPhase, hasRequest, hasResponse } from './phase-match.ts'
import { Processor, type ProcessorOptions, type ProcessorVerdict } from './processor.ts'

/** Services that inspect requests to MCP servers and their results. */
export interface McpGuards {
  /** Which messages of a method the services inspect. */
  concerns(method: string): McpPhase
  /**
   * Checks a request, once, however many servers it goes to. Its names are those of the servers. `params` in the result
   * replace the request's; without them the params stay. Headers of the exchange's request may have changed: build
   * requests to servers afterwards.
   *
   * Rejects with the fault `abandoned` if the client disconnects meanwhile.
   *
   * @param servers Names of the servers it goes to.
   */
  request(
    method: string,
    params: JsonObject | undefined,
    x: Exchange,
    servers?: readonly string[],
  ): Promise<{ readonly params?: JsonObject } | { readonly error: ErrorObject }>
  /** Checks a successful result; of several servers, the merged one. */
  response(
    method: string,
    result: JsonObject,
    x: Exchange,
    servers?: readonly string[],
  ): Promise<{ readonly result?: JsonObject } | { readonly error: ErrorObject }>
}

/**
 * Checks MCP messages with services, one after another: each gets the message as the one before left it, and the first
 * refusal ends the chain. A failing service refuses too, unless it fails open.
 *
 * Metadata that they return are available to expressions as `mcpGuardrails`.
 */
export const mcpGuards = (options: readonly ProcessorOptions[]): McpGuards => {
  const processors = options.map((one) => new Processor(one))

  const through = async (
    content: JsonObject | undefined,
    concerned: readonly Processor[],
    check: (processor: Processor, content: JsonObject | undefined) => Promise<ProcessorVerdict>,
  ): Promise<ProcessorVerdict> => {
    let changed: JsonObject | undefined
    for (const processor of concerned) {
      const verdict = await check(processor, changed ?? content)
      if ('error' in verdict) return verdict
      changed = verdict.content ?? changed
    }
    return changed ? { content: changed } : {}
  }

  return {
    concerns: (method) => processors.map((one) => one.phaseOf(method)).reduce<McpPhase>(eitherPhase, 'off'),

    async request(method, params, x, servers = []) {
      const concerned = processors.filter((one) => hasRequest(one.phaseOf(method)))
      const verdict = await through(params, concerned, (one, content) =>
        one.request(method, content, x, servers),
      )
      if ('error' in verdict) return verdict
      return verdict.content ? { params: verdict.content } : {}
    },

    async response(method, result, x, servers = []) {
      const concerned = processors.filter((one) => hasResponse(one.phaseOf(method)))
      const verdict = await through(result, concerned, (one, content) =>
        one.response(method, content ?? result, x, servers),
      )
      if ('error' in verdict) return verdict
      return verdict.content ? { result: verdict.content } : {}
    },
  }
}
