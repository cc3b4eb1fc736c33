import type { Keepalives } from './policies.ts'
import type { SecretText } from '../policies/secret-text.ts'

/** Where a server of the process itself listens: an address, a unix socket, or not at all. */
export type ServerAddress =
  { readonly host: string; readonly port: number } | { readonly unix: string } | 'off'

/** The `config` section: read once, when the process starts. */
export interface ProcessSettings {
  readonly adminAddr: ServerAddress
  readonly statsAddr: ServerAddress
  readonly readinessAddr: ServerAddress
  /** Extra names, beyond loopback ones, that may appear in `Host` and `Origin` of admin requests. */
  readonly adminHosts: readonly string[]
  readonly ipv6Enabled: boolean
  readonly dnsLookupFamily: 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'
  /** Longest wait for exchanges in flight once shutdown began. */
  readonly terminationDeadlineMs: number
  /** Part of that during which nothing is closed yet, and clients are served as before. */
  readonly minTerminationDeadlineMs: number
  readonly sensitiveHeaders: readonly string[]
  /** Seal the cookies of who is signed in: the first seals, all open. None: a random one. Hexadecimal. */
  readonly cookieKeys: readonly SecretText[]
  /** The same for ids of MCP sessions. */
  readonly sessionKeys: readonly SecretText[]
  /** Where other replicas reach this one: an origin. */
  readonly sessionAddress?: string
  readonly mcp: {
    /** How long a session is kept in which nothing is asked. Listening does not count. */
    readonly sessionTtlMs: number
    /** Most servers that may run as programs of this process, and most of one target. */
    readonly maxPrograms: number
    readonly maxProgramsPerTarget: number
  }
  readonly logging: {
    readonly level: string
    readonly format: 'text' | 'json'
  }
  readonly metrics: {
    readonly remove: readonly string[]
    /** Label → CEL. */
    readonly add: readonly (readonly [label: string, value: string])[]
  }
  readonly upstream: UpstreamSettings
  /** Connections to the webhooks of guards, which nothing else uses. */
  readonly guardrailWebhook: PoolSettings
}

/** Connection pools towards upstreams. */
export interface UpstreamSettings extends PoolSettings {
  readonly keepalives: Keepalives
  readonly connectTimeoutMs: number
}

/** How many connections are kept, and for how long. */
export interface PoolSettings {
  readonly poolIdleTimeoutMs: number
  /** Connections per address; undefined is unlimited. */
  readonly poolMaxSize?: number
}
