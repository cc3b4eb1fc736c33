import type { LlmRouteType } from '../../../model/llm.ts'
import type { RequestFacts, RequestPlace } from '../../../protocols/llm/chat/codec.ts'
import type { HeardBody } from './hear-body.ts'

/** What a client asks, read once for all attempts. */
export interface Heard {
  readonly type: LlmRouteType
  /** What path and query say. */
  readonly place: RequestPlace
  /** Undefined if the request goes unchanged. */
  readonly body: HeardBody | undefined
  readonly facts: RequestFacts
  readonly path: string
  readonly query: string
}
