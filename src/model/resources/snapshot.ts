import type { Fault } from '../exchange/fault.ts'
import type { OperatorFunction } from 'rxjs'
import type { Connection } from '../exchange/connection.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { FrontendPolicies } from './frontend-policies.ts'
import type { Bind, Listener, Resources, StaticTarget } from './resources.ts'
import type { Collector } from '../tracing/otlp-transport.ts'
import type { RequestTracing } from '../tracing/request-tracing.ts'
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
  /** Number of exchanges that use this snapshot. Resources that only a retired snapshot uses are released at 0. */
  exchanges: number
  /** Where telemetry is sent. */
  readonly collectors?: readonly Collector[] | undefined
}

/** One port, ready to serve. */
export interface CompiledBind {
  readonly resource: Bind
  /** Those of the process, of its gateways and of the port. */
  readonly frontend: FrontendPolicies
  /** Begins the spans of requests without a listener; absent if these are not traced. */
  readonly tracing?: RequestTracing | undefined
  /** Which connections are accepted; all if absent. */
  readonly connections?: ConnectionRules | undefined
  readonly listeners: readonly CompiledListener[]
  /** Labels of exchanges that fit no listener. */
  readonly labels: RouteLabels
  /** Replies to requests that match no listener. */
  readonly unmatched: Pipeline
}

/** Decides which connections are accepted. */
export interface ConnectionRules {
  /** Whether the rules read nothing of a TLS handshake. */
  readonly beforeTls: boolean
  /** @param serverName The SNI of the TLS handshake, terminated or passed through. */
  readonly admit: (connection: Connection, serverName: string | undefined) => boolean
}

/** A whole pipeline: subscribing it to one exchange runs it. */
export type Pipeline = OperatorFunction<Exchange, Exchange>

/** One listener, ready to serve. */
export interface CompiledListener {
  readonly resource: Listener
  readonly labels: RouteLabels
  /** Those of the port, with the logs and traces of the listener. */
  readonly frontend: FrontendPolicies
  /** Begins the spans of requests; absent if requests are not traced. */
  readonly tracing?: RequestTracing | undefined
  readonly pipeline: Pipeline
  /** The policies in force for every request of the listener, by phase, for the trace. */
  readonly effective?: { readonly listenerFrontend: object; readonly gateway: object }
  /** The target of a raw connection; undefined if no TCP route matches. Picks a backend by weight at each call. */
  tcpTarget(serverName: string | undefined, connection: Connection): TcpTarget | TcpDeadEnd | undefined
  /** Of UDP listeners only. */
  readonly udp?: UdpTargets | undefined
}

/** The destinations of the datagrams of a listener. One object for as long as none of them changes. */
export interface UdpTargets {
  /** The target of a new session; undefined if there is no route. Picks a backend by weight at each call. */
  pick(client: Connection): UdpTarget | TcpDeadEnd | undefined
  /** Whether the routes still lead to a target that an earlier configuration has picked. */
  keeps(target: UdpTarget): boolean
}

/** Destination of a session of datagrams. */
export interface UdpTarget {
  readonly labels: RouteLabels
  /** The key of its route. */
  readonly route: string
  readonly backend: BackendLabels
  readonly target: { readonly host: string; readonly port: number }
  /** The endpoint of a service; `target` is then only its name. */
  readonly address?: { readonly ip: string; readonly port: number }
  /** Called if nobody listens there, or no network leads there. */
  readonly onUnreachable?: () => void
}

/** Destination of a raw connection. */
export interface TcpTarget {
  readonly labels: RouteLabels
  readonly backend: BackendLabels
  readonly target: StaticTarget
  /** The addresses of a service, in the order in which they are tried; `target` is then only its name. */
  readonly addresses?: readonly { readonly ip: string; readonly port: number }[]
  /** Called with the address that has accepted the connection. */
  readonly onConnected?: (address: string) => void
  readonly tls: TlsUpstream | undefined
  /** Whether a resolved address may be connected to; absent: any may. */
  readonly reaches?: ((ip: string) => boolean) | undefined
  /** The proxy to tunnel through. */
  readonly proxy?: ProxyAddress | undefined
}

/** Why a raw connection, or a datagram, cannot be forwarded although a route matches. */
export interface TcpDeadEnd {
  readonly labels: RouteLabels
  readonly fault: Fault
}

/** Names of bind, listener and route, for metrics and logs. One object per route and snapshot, compared by identity. */
export interface RouteLabels {
  readonly bind: string
  /** `{namespace}/{name}`. */
  readonly gateway: string | undefined
  readonly listener: string | undefined
  /** `{namespace}/{name}`. */
  readonly route: string | undefined
  readonly routeRule: string | undefined
}

/** Names of the chosen backend, for metrics and logs. */
export interface BackendLabels {
  readonly name: string
  readonly type: 'static' | 'dynamic' | 'service' | 'mcp' | 'ai' | 'internal' | 'unknown'
  readonly protocol: 'http' | 'tcp' | 'udp' | 'mcp' | 'a2a' | 'llm'
}
