import type { PathRules } from '../../../protocols/http/path-rules.ts'
import type { ExchangeServer, ServedBind } from './serve.ts'

/** What a connection uses of the port that accepted it. */
export interface PortServices {
  /** The configuration in force; a reload replaces it as a whole. */
  readonly served: ServedBind
  readonly serving: ExchangeServer
  readonly http1: RequestRules
}

/** How request heads are read, by the port's configuration. HTTP/2 goes by the same rules. */
export interface RequestRules {
  readonly pathRules: PathRules
  /** Whether the spelling of field names is passed on. */
  readonly preservesCase: boolean
  /** Fields that a head may have. */
  readonly maxHeaders: number
  /** Protocols that a request may upgrade to, in lower case. */
  readonly upgrades: ReadonlySet<string>
}
