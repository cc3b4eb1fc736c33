import type { Exchange } from '../../../../model/exchange.ts'
import type { Behalf, Wire } from '../../../../upstream/mcp/wire.ts'
import type { Operator } from '../../../../pipeline/stage.ts'
import type { Era } from './era.ts'
import type { TargetMemory } from './target-memory.ts'

/** A session that began earlier, perhaps on another replica. */
export interface Resumed {
  readonly sessionId: string | undefined
  readonly revision: string
  readonly place?: string | undefined
}

/** One configured server, ready to be talked to. */
export interface Target {
  readonly name: string
  /** What talks to it lives in this process and nowhere else: a session with it cannot move to another replica. */
  readonly isBound: boolean
  /** What outlives a configuration. */
  readonly memory: TargetMemory
  /** A new way to it. Nothing is connected before it is used. */
  wire(era: Era, resumed?: Resumed): Wire
  /** In whose name messages go there. */
  behalf(x: Exchange): Behalf
  /** Where an HTTP request goes there as it is; absent for servers without HTTP. */
  readonly pipeline?: Operator | undefined
}
