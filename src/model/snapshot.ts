import type { Exchange } from './exchange.ts'

/**
 * One configuration, compiled. Exchanges keep the one they were admitted under until they end; the next snapshot
 * replaces it for new ones only.
 */
export interface Snapshot {
  /** Stable hash of the configuration: equal configurations have equal hashes. */
  readonly hash: string
  /** Exchanges that hold this snapshot. What it alone uses is let go when a retired snapshot has none left. */
  exchanges: number
  /** Called by the listener when an exchange ended. */
  readonly ended: (x: Exchange) => void
}

/** Names of where an exchange is, as metrics and logs label it. One object per route and snapshot, compared by identity. */
export interface RouteLabels {
  readonly bind: string
  /** `{namespace}/{name}`. */
  readonly gateway: string | undefined
  readonly listener: string | undefined
  /** `{namespace}/{name}`. */
  readonly route: string | undefined
  readonly routeRule: string | undefined
  /** The path pattern that matched, for span names. */
  readonly pathMatch: string | undefined
}

export interface BackendLabels {
  readonly name: string
  readonly type: 'static' | 'dynamic' | 'service' | 'unknown'
  readonly protocol: 'http' | 'tcp'
}
