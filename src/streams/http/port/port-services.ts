import type { PathRules } from '../../../protocols/http/path-rules.ts'
import type { ExchangeServer, ServedBind } from './serve.ts'

/** The part of a port that its connections use. */
export interface PortServices {
  /** The configuration in force; a reload replaces it as a whole. */
  readonly served: ServedBind
  readonly serving: ExchangeServer
  readonly http1: RequestRules
}

/** Rules for parsing request heads, from the port's configuration. They apply to HTTP/2 as well. */
export interface RequestRules {
  readonly pathRules: PathRules
  /** Whether to preserve the case of field names. */
  readonly preservesCase: boolean
  /** Maximum number of fields in a head. */
  readonly maxHeaders: number
  /** Protocols that a request may upgrade to, in lower case. */
  readonly upgrades: ReadonlySet<string>
}
