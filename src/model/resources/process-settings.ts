import type { Keepalives } from './policies.ts'
import type { XdsSettings } from './xds-settings.ts'
import type { SecretText } from '../policies/secret-text.ts'

/** The address of an admin server: host and port, a unix socket, or off. */
export type ServerAddress =
  { readonly host: string; readonly port: number } | { readonly unix: string } | 'off'

/** TLS of the admin server; with a CA bundle, clients must present a certificate. */
export interface AdminTls {
  readonly certFile: string
  readonly keyFile: string
  readonly clientCaFile?: string
  /** Names, one of which the client certificate must have; absent: any. */
  readonly allowedNames?: readonly string[]
}

/** The `config` section: read once, when the process starts. */
export interface ProcessSettings {
  readonly adminAddr: ServerAddress
  readonly statsAddr: ServerAddress
  readonly readinessAddr: ServerAddress
  /** Names allowed in `Host` and `Origin` of admin requests, besides loopback names. */
  readonly adminHosts: readonly string[]
  /** Bearer tokens of the admin server; empty: none is required. */
  readonly adminTokens: readonly SecretText[]
  /** TLS of the admin server. */
  readonly adminTls?: AdminTls
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
    /** The path of the file; standard output otherwise. */
    readonly file?: string
  }
  readonly metrics: {
    readonly remove: readonly string[]
    /** Label → CEL. */
    readonly add: readonly (readonly [label: string, value: string])[]
    /** Maximum number of series of requests. */
    readonly maxSeries: number
    /** Maximum number of values of each label of `add`. */
    readonly maxLabelValues: number
  }
  /** Which buckets histograms have; native ones are in the protobuf format only. */
  readonly histograms: 'classic' | 'native' | 'both'
  readonly upstream: UpstreamSettings
  /** Connection pools of guardrail webhooks only. */
  readonly guardrailWebhook: PoolSettings
  /** Queues and resource of exported telemetry, from the variables of OpenTelemetry. */
  readonly otel: OtelSettings
  /** The control plane, if there is one. */
  readonly xds?: XdsSettings
}

/** Settings of exported telemetry that belong to the process. */
export interface OtelSettings {
  readonly traces: BatchSettings
  readonly logs: BatchSettings
  readonly serviceName?: string
  readonly resourceAttributes: readonly (readonly [name: string, value: string])[]
}

/** Sizes and times of a queue of records. */
export interface BatchSettings {
  /** Records beyond it are dropped. */
  readonly maxQueueSize: number
  readonly maxExportBatchSize: number
  /** The longest time that a record waits while the collector takes them. */
  readonly scheduleDelayMs: number
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
