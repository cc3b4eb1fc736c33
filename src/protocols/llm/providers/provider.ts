import type { Headers } from '../../../model/exchange/headers.ts'
import type { LlmProviderSettings } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../format.ts'
import type { Members } from '../members/members.ts'

/** A service with language models: its address, its formats, and its peculiarities. */
export interface Provider {
  /** What the paths of its clients begin with that a prefix replaces, such as `/v1`; empty if a prefix stands before them. */
  readonly base: string

  /** Where it is; undefined if only a configuration can know. */
  address(settings: LlmProviderSettings, format: Format | undefined): ProviderRequestTarget | undefined

  /** The formats that it supports for a model, in its own order of preference. */
  formats(model: string, settings: LlmProviderSettings): readonly Format[]

  /** Its own path for a request, with a query if it needs one, as if nothing were configured about paths. */
  path(call: ProviderCall, settings: LlmProviderSettings): ProviderPath

  /** The last changes to a body in its format: fields that belong elsewhere, are called otherwise, or are unknown. */
  finishBody(body: Members, call: ProviderCall, settings: LlmProviderSettings): void

  /**
   * The last changes to the headers, when the credential is there: where it belongs, and what has to be said with it.
   * Undefined: none.
   */
  readonly finishHeaders?: FinishHeaders
}

/** Changes the headers of a request once it is the provider's. */
export type FinishHeaders = (headers: Headers, call: ProviderCall) => void

/** Host and port, and whether with TLS. */
export interface ProviderRequestTarget {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** A request as it is sent to the provider. */
export interface ProviderCall {
  /** A conversation over a WebSocket has a path, and nothing else of this. */
  readonly format: Format | 'realtime'
  readonly model: string
  readonly streaming: boolean
}

/** A path in two parts, for a configured prefix takes the place of the first or stands before it. */
export interface ProviderPath {
  /** What a prefix replaces, such as `/v1`; empty if a prefix stands before all of it. */
  readonly base: string
  /** The rest, from its slash on. */
  readonly rest: string
  /** Without the question mark; undefined if there is none. */
  readonly query?: string | undefined
  /** It is the whole path: a prefix changes nothing. */
  readonly isFixed?: boolean | undefined
}
