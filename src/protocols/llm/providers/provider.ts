import type { Headers } from '../../../model/exchange/headers.ts'
import type { LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'
import type { Members } from '../members/members.ts'

/** A service with language models: its address, its formats, and its peculiarities. */
export interface Provider {
  /**
   * The path prefix of its clients that a configured prefix replaces, such as `/v1`; empty if the configured one is
   * prepended.
   */
  readonly base: string

  /** Its address; undefined if it depends on the configuration alone. */
  address(settings: LlmProviderSettings, format: Format | undefined): ProviderRequestTarget | undefined

  /** The formats that it supports for a model, in its own order of preference. */
  formats(model: string, settings: LlmProviderSettings): readonly Format[]

  /** Its own path for a request, with a query if required, without any configured paths. */
  path(call: ProviderCall, settings: LlmProviderSettings): ProviderPath

  /** Final changes to a body in its format: moves, renames or removes fields. */
  finishBody(body: Members, call: ProviderCall, settings: LlmProviderSettings): void

  /**
   * Final changes to the headers, once the credential is set: its header, and headers that go with it. Undefined: none.
   */
  readonly finishHeaders?: FinishHeaders
}

/** Changes the headers of a request for its provider. */
export type FinishHeaders = (headers: Headers, call: ProviderCall) => void

/** Host and port, and whether with TLS. */
export interface ProviderRequestTarget {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** A request as it is sent to the provider. */
export interface ProviderCall {
  /** `realtime`, a conversation over a WebSocket, has a path and no body. */
  readonly format: Format | 'realtime'
  readonly model: string
  readonly streaming: boolean
}

/** A path in two parts: a configured prefix replaces the first, or is prepended. */
export interface ProviderPath {
  /** The part that a prefix replaces, such as `/v1`; empty if a prefix is prepended. */
  readonly base: string
  /** The rest, beginning with a slash. */
  readonly rest: string
  /** Without the question mark; undefined if there is none. */
  readonly query?: string | undefined
  /** Configured prefixes do not apply. */
  readonly isFixed?: boolean | undefined
}
