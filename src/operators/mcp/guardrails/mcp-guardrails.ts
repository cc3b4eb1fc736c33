import type { Exchange } from '../model/exchange.ts'
import type { McpPhase } from '../model/mcp-guardrails.ts'
import type { ErrorObject, JsonObject } from '../protocols/json-rpc/message.ts'
import { eitherPhase, hasRequest, hasResponse } from './mcp-guardrails/phase-of.ts'
import { Processor, type ProcessorOptions, type Seen } from './mcp-guardrails/processor.ts'

/** Services that look at what is asked of MCP servers and what they give. */
export interface McpGuards {
  /** Which messages of a method somebody wants to see: the others need not be shown. */
  concerns(method: string): McpPhase
  /**
   * Shows a request, once, however many servers it goes to. Its names are those of the servers. Without `params` in what
   * it gives, they stay as they are; others must be taken in their place. Fields of the exchange's request may have
   * changed: what is sent to servers is to be made afterwards.
   *
   * Rejects with the fault `abandoned` if the client leaves meanwhile.
   *
   * @param servers Names of the servers it goes to.
   */
  request(
    method: string,
    params: JsonObject | undefined,
    x: Exchange,
    servers?: readonly string[],
  ): Promise<{ readonly params?: JsonObject } | { readonly error: ErrorObject }>
  /** Shows what came of a request that went well; of several servers, what was made of it all. */
  response(
    method: string,
    result: JsonObject,
    x: Exchange,
    servers?: readonly string[],
  ): Promise<{ readonly result?: JsonObject } | { readonly error: ErrorObject }>
}

/**
 * Asks services about MCP messages, one after another: each sees what the one before made of a message, and the first
 * that refuses is the last that is asked. One that fails refuses too, unless it may be done without.
 *
 * What they leave as metadata is there for expressions as `mcpGuardrails`.
 */
export const mcpGuards = (options: readonly ProcessorOptions[]): McpGuards => {
  const processors = options.map((one) => new Processor(one))

  const through = async (
    content: JsonObject | undefined,
    asked: readonly Processor[],
    ask: (processor: Processor, content: JsonObject | undefined) => Promise<Seen>,
  ): Promise<Seen> => {
    let changed: JsonObject | undefined
    for (const processor of asked) {
      const seen = await ask(processor, changed ?? content)
      if ('error' in seen) return seen
      changed = seen.content ?? changed
    }
    return changed ? { content: changed } : {}
  }

  return {
    concerns: (method) => processors.map((one) => one.phaseOf(method)).reduce<McpPhase>(eitherPhase, 'off'),

    async request(method, params, x, servers = []) {
      const asked = processors.filter((one) => hasRequest(one.phaseOf(method)))
      const seen = await through(params, asked, (one, content) => one.request(method, content, x, servers))
      if ('error' in seen) return seen
      return seen.content ? { params: seen.content } : {}
    },

    async response(method, result, x, servers = []) {
      const asked = processors.filter((one) => hasResponse(one.phaseOf(method)))
      const seen = await through(result, asked, (one, content) =>
        one.response(method, content ?? result, x, servers),
      )
      if ('error' in seen) return seen
      return seen.content ? { result: seen.content } : {}
    },
  }
}
