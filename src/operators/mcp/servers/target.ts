import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { RequestContext, Transport } from '../../../upstream/mcp/transport.ts'
import type { SpanScope } from '../../../model/tracing/span-scope.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { McpTarget } from '../../../model/mcp/mcp-backend.ts'
import type { Era } from './protocol-era.ts'
import type { TargetState } from './target-state.ts'

/** A session that began earlier, perhaps on another replica. */
export interface Resumed {
  readonly sessionId: string | undefined
  readonly revision: string
  readonly endpointAddress?: string | undefined
}

/** One configured server. */
export interface Target {
  readonly name: string
  /** Its transport exists in this process only: a session cannot move to another replica. */
  readonly isBound: boolean
  /** It is a child process: of a client's request only messages reach it. */
  readonly isProgram?: boolean | undefined
  /** Sessions for clients without them. Undefined: each caller has its own. */
  readonly legacy?: McpTarget['legacy'] | undefined
  /** Programs that are kept ready for anonymous callers. */
  readonly minIdle?: number | undefined
  /** State that outlives a configuration. */
  readonly state: TargetState
  /** A new transport. Nothing is connected before its first use. */
  createTransport(era: Era, resumed?: Resumed): Transport
  /**
   * The context of messages that are sent for this exchange.
   *
   * @param scope The span that they belong to; by default that of the exchange.
   */
  requestContext(x: Exchange, scope?: SpanScope): RequestContext
  /** Forwards an HTTP request unchanged; absent for servers without HTTP. */
  readonly pipeline?: Operator | undefined
}
