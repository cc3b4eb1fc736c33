import type { Exchange } from '../model/exchange.ts'
import { sourceOf } from './connection-facts.ts'
import type {
  BackendFacts,
  BasicAuthFacts,
  CelContext,
  DestinationFacts,
  EnvFacts,
  ProxyFacts,
  RequestFacts,
  ResponseFacts,
  SourceFacts,
} from './context.ts'
import { ExchangeRequest, ExchangeResponse } from './exchange-messages.ts'
import type { LlmFacts } from '../model/llm-facts.ts'
import type { McpFacts } from '../model/mcp-facts.ts'
import { proxyOf } from './proxy-facts.ts'

/** What holds for all exchanges of a process. */
export interface ProcessFacts {
  readonly env?: EnvFacts | undefined
  /** Every header whose value is a credential, lower-case; without it the default set. */
  readonly sensitiveHeaders?: ReadonlySet<string> | undefined
}

/**
 * An exchange as expressions see it, at the moment they are evaluated. Making one costs one object.
 *
 * Bodies are there once a stage has buffered them, which a stage before has to do for an expression whose `needs` say so.
 */
export class ExchangeContext implements CelContext {
  readonly #x: Exchange
  readonly #process: ProcessFacts

  constructor(x: Exchange, process: ProcessFacts = {}) {
    this.#x = x
    this.#process = process
  }

  get request(): RequestFacts {
    return new ExchangeRequest(this.#x, this.#process.sensitiveHeaders)
  }

  get response(): ResponseFacts | undefined {
    const { reply } = this.#x
    return reply && new ExchangeResponse(reply, this.#process.sensitiveHeaders)
  }

  get source(): SourceFacts {
    return sourceOf(this.#x.request.connection)
  }

  get destination(): DestinationFacts {
    const { destinationAddress, destinationPort, tls } = this.#x.request.connection
    return { address: destinationAddress, port: destinationPort, hostname: tls?.serverName }
  }

  get proxy(): ProxyFacts {
    return proxyOf(this.#x)
  }

  get backend(): BackendFacts | undefined {
    return this.#x.backend
  }

  get env(): EnvFacts {
    return this.#process.env ?? {}
  }

  get jwt(): object | undefined {
    return this.#x.identity.jwt
  }

  get apiKey(): object | undefined {
    return this.#x.identity.apiKey
  }

  get llm(): LlmFacts | undefined {
    return this.#x.llm
  }

  get llmRequest(): object | undefined {
    return this.#x.llm?.request
  }

  get basicAuth(): BasicAuthFacts | undefined {
    return this.#x.identity.basicAuth
  }

  get extauthz(): object | undefined {
    return this.#x.extauthz
  }

  get extproc(): object | undefined {
    return this.#x.extproc
  }

  get mcp(): McpFacts | undefined {
    return this.#x.mcp
  }

  get mcpGuardrails(): object | undefined {
    return this.#x.mcpGuardrails
  }

  get metadata(): object | undefined {
    return this.#x.metadata
  }
}
