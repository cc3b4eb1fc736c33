import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type { RequestAttributes, ProviderRequestLine } from '../../../protocols/llm/chat/codec.ts'
import type { JsonBody } from './parse-body.ts'

/** A client's request, parsed once for all attempts. */
export interface ClientRequest {
  readonly type: LlmRouteType
  /** From path and query. */
  readonly requestLine: ProviderRequestLine
  /** Undefined if the request passes unchanged. */
  readonly body: JsonBody | undefined
  readonly attributes: RequestAttributes
  readonly path: string
  readonly query: string
}

/** How requests are parsed. */
export interface ParseOptions {
  readonly limitBytes: number
  /** The model determines the provider, so that every request must name one. */
  readonly byModel: boolean
}
