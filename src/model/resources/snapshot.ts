import type { Fault } from '../exchange/fault.ts'
import type { OperatorFunction } from 'rxjs'
import type { Connection } from '../exchange/connection.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { FrontendPolicies } from './frontend-policies.ts'
import type { Bind, Listener, Resources, StaticTarget } from './resources.ts'
import type { TlsUpstream } from './policies.ts'
import type { ProxyAddress } from '../../upstream/backend-tunnel/schema.ts'

/**
 * One configuration, compiled. Exchanges keep the one they were admitted under until they end; the next snapshot
 * replaces it for new ones only.
 */
export interface Snapshot {
  /** Stable hash of the configuration: equal configurations have equal hashes. */
  readonly hash: string
  readonly resources: Resources
  readonly binds: ReadonlyMap<string, CompiledBind>
  /** Exchanges that hold this snapshot. What it alone uses is let go when a retired snapshot has none left. */
  exchanges: number
}

/** One port, ready to serve. */
export interface CompiledBind {
  readonly resource: Bind
  readonly frontend: FrontendPolicies
  /** Which connections are taken; all of them without. */
  readonly connections?: ConnectionRules | undefined
  readonly listeners: readonly CompiledListener[]
  /** Labels of exchanges that fit no listener. */
  readonly labels: RouteLabels
  /** Answers what fits no listener. */
  readonly unmatched: Pipeline
}

/** Decides which connections are taken. */
export interface ConnectionRules {
  /** Whether a TLS handshake would tell nothing that they read. */
  readonly beforeTls: boolean
  /** @param serverName The name asked for in a TLS handshake, whoever does that handshake. */
  readonly admit: (connection: Connection, serverName: string | undefined) => boolean
}

/** A whole pipeline: subscribing it to one exchange runs it. */
export type Pipeline = OperatorFunction<Exchange, Exchange>

/** One listener, ready to serve. */
export interface CompiledListener {
  readonly resource: Listener
  readonly labels: RouteLabels
  readonly pipeline: Pipeline
  /** The policies in force for every request of the listener, by phase, for the trace. */
  readonly effective?: { readonly listenerFrontend: object; readonly gateway: object }
  /** Where a raw connection goes; undefined if no TCP route fits. Picks a backend by weight at each call. */
  tcpTarget(serverName: string | undefined, connection: Connection): TcpTarget | TcpDeadEnd | undefined
}

/** Destination of a raw connection. */
export interface TcpTarget {
  readonly labels: RouteLabels
  readonly backend: BackendLabels
  readonly target: StaticTarget
  /** The addresses of a service, in the order in which they are tried; then `target` is what it is called. */
  readonly addresses?: readonly { readonly ip: string; readonly port: number }[]
  readonly tls: TlsUpstream | undefined
  /** Whether an address that its name turns out to have may be connected to; any may, without. */
  readonly reaches?: ((ip: string) => boolean) | undefined
  /** In front of it. */
  readonly proxy?: ProxyAddress | undefined
}

/** Why a raw connection goes nowhere although a route fits. */
export interface TcpDeadEnd {
  readonly labels: RouteLabels
  readonly fault: Fault
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
}

/** Names of the backend that was chosen, as metrics and logs label it. */
export interface BackendLabels {
  readonly name: string
  readonly type: 'static' | 'dynamic' | 'service' | 'mcp' | 'ai' | 'internal' | 'unknown'
  readonly protocol: 'http' | 'tcp' | 'mcp' | 'a2a' | 'llm'
}
