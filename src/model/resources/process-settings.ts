import type { Keepalives } from './policies.ts'
import type { SecretText } from '../policies/secret-text.ts'

/** The address of an admin server: host and port, a unix socket, or off. */
export type ServerAddress =
  { readonly host: string; readonly port: number } | { readonly unix: string } | 'off'

/** The `config` section: read once, when the process starts. */
export interface ProcessSettings {
  readonly adminAddr: ServerAddress
  readonly statsAddr: ServerAddress
  readonly readinessAddr: ServerAddress
  /** Names allowed in `Host` and `Origin` of admin requests, besides loopback names. */
  readonly adminHosts: readonly string[]
  readonly ipv6Enabled: boolean
  readonly dnsLookupFamily: 'All' | 'Auto' | 'V4Preferred' | 'V4Only' | 'V6Only'
  /** Deadline of a shutdown for exchanges in flight. */
  readonly terminationDeadlineMs: number
  /** The part of it before anything is closed; clients are served as before. */
  readonly minTerminationDeadlineMs: number
  readonly sensitiveHeaders: readonly string[]
  /** Keys of session cookies, in hexadecimal: the first seals, all open. Empty: a random key. */
  readonly cookieKeys: readonly SecretText[]
  /** Keys of MCP session ids, used likewise. */
  readonly sessionKeys: readonly SecretText[]
  /** The origin at which other replicas reach this one. */
  readonly sessionAddress?: string
  readonly mcp: {
    /** Idle timeout of a session. Listening does not count as activity. */
    readonly sessionTtlMs: number
    /** Maximum number of stdio server processes, in all and per target. */
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
  /** Connection pools of guardrail webhooks only. */
  readonly guardrailWebhook: PoolSettings
}

/** Connection pools towards upstreams. */
export interface UpstreamSettings extends PoolSettings {
  readonly keepalives: Keepalives
  readonly connectTimeoutMs: number
}

/** Size and idle timeout of a connection pool. */
export interface PoolSettings {
  readonly poolIdleTimeoutMs: number
  /** Connections per address; undefined is unlimited. */
  readonly poolMaxSize?: number
}
