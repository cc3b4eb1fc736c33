import type { Exchange } from '../../model/exchange/exchange.ts'
import { sourceAttributesOf } from './connection-attributes.ts'
import type {
  BackendAttributes,
  BasicAuthAttributes,
  CelContext,
  DestinationAttributes,
  EnvAttributes,
  ProxyAttributes,
  HttpRequestAttributes,
  ResponseAttributes,
  SourceAttributes,
} from './context.ts'
import { ExchangeRequest, ExchangeResponse } from './exchange-messages.ts'
import type { LlmAttributes } from '../../model/llm/llm-attributes.ts'
import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'
import { proxyOf } from './proxy-attributes.ts'

/** Attributes that all exchanges of a process share. */
export interface ProcessAttributes {
  readonly env?: EnvAttributes | undefined
  /** Every header whose value is a credential, lower-case. Default: {@link defaultSensitiveHeaders}. */
  readonly sensitiveHeaders?: ReadonlySet<string> | undefined
}

/**
 * An exchange as expressions see it at the moment of evaluation. Creating one costs one object.
 *
 * Bodies are present once a stage has buffered them; an earlier stage must do so if the expression's `references`
 * include the body.
 */
export class ExchangeContext implements CelContext {
  readonly #x: Exchange
  readonly #process: ProcessAttributes

  constructor(x: Exchange, process: ProcessAttributes = {}) {
    this.#x = x
    this.#process = process
  }

  get request(): HttpRequestAttributes {
    return new ExchangeRequest(this.#x, this.#process.sensitiveHeaders)
  }

  get response(): ResponseAttributes | undefined {
    const { reply } = this.#x
    return reply && new ExchangeResponse(reply, this.#process.sensitiveHeaders)
  }

  get source(): SourceAttributes {
    return sourceAttributesOf(this.#x.request.connection)
  }

  get destination(): DestinationAttributes {
    const { destinationAddress, destinationPort, tls } = this.#x.request.connection
    return { address: destinationAddress, port: destinationPort, hostname: tls?.serverName }
  }

  get proxy(): ProxyAttributes {
    return proxyOf(this.#x)
  }

  get backend(): BackendAttributes | undefined {
    return this.#x.upstream.backend
  }

  get env(): EnvAttributes {
    return this.#process.env ?? {}
  }

  get jwt(): object | undefined {
    return this.#x.identity.jwt
  }

  get apiKey(): object | undefined {
    return this.#x.identity.apiKey
  }

  get llm(): LlmAttributes | undefined {
    return this.#x.protocol.llm
  }

  get llmRequest(): object | undefined {
    return this.#x.protocol.llm?.request
  }

  get basicAuth(): BasicAuthAttributes | undefined {
    return this.#x.identity.basicAuth
  }

  get extauthz(): object | undefined {
    return this.#x.policy.extAuthz
  }

  get extproc(): object | undefined {
    return this.#x.policy.extProc
  }

  get mcp(): McpAttributes | undefined {
    return this.#x.protocol.mcp
  }

  get mcpGuardrails(): object | undefined {
    return this.#x.policy.mcpGuardrails
  }

  get metadata(): object | undefined {
    return this.#x.policy.metadata
  }
}
