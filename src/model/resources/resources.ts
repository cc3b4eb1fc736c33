/**
 * The resource model: the desired state of a gateway, from any source. The YAML file is one producer, a control plane
 * is another; `config/compile` turns it into pipelines. Values are normalised (defaults filled in, durations in
 * milliseconds, references by key) and free of functions, so that `/config_dump` can print all of it.
 *
 * @module
 */
import type {
  AttachedFrontend,
  EncodedSlashes,
  FrontendPolicies,
  ListenerFrontend,
} from './frontend-policies.ts'
import type { AgentCoreBackend } from './agent-core-backend.ts'
import type { DynamicBackend } from './dynamic-backend.ts'
import type { Origin } from './origin.ts'
import type { LlmBackend, LlmSettings } from '../llm/llm-backend.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import type { BackendPolicies, GatewayPolicies, RoutePolicies, TlsUpstream } from './policies.ts'
import type { PolicyTarget } from './policy-target.ts'
import type { TlsServer } from './tls-server.ts'
import type { ResourcePrecedence } from './resource-precedence.ts'
import type { Service, Workload } from './service.ts'
import type { Tunnel } from '../../upstream/backend-tunnel/schema.ts'

/** Everything a snapshot is compiled from. */
export interface Resources extends LlmSettings {
  readonly binds: readonly Bind[]
  readonly backends: readonly Backend[]
  /** Policies attached by target; `compile` merges them with the inline ones. */
  readonly policies: readonly TargetedPolicy[]
  readonly routeGroups: readonly RouteGroup[]
  readonly services: readonly Service[]
  readonly workloads: readonly Workload[]
  /** Where this gateway runs, for services that prefer near endpoints. */
  readonly location?: { readonly zone?: string; readonly node?: string }
  readonly frontend: FrontendPolicies
  /** Definitions of functions that all expressions may call. */
  readonly functions?: string
  readonly warnings: readonly ConfigWarning[]
}

/** A valid setting that is probably a mistake, such as two routes with the same matchers. */
export interface ConfigWarning {
  readonly code: string
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** One listening port or unix socket. Datagrams of a port number are a bind of their own. */
export interface Bind {
  /** `bind/3000`, `bind/udp/3000`, `bind/unix:/run/gw.sock` or `bind/wildcard`. An equal key keeps its open socket over reloads. */
  readonly key: string
  /** An IP address to listen on, or `unix:/path`. `::` means all addresses. */
  readonly address: string
  /** 0 opens any free port. Absent for unix sockets and the internal wildcard bind. */
  readonly port?: number
  readonly protocol: 'http' | 'tls' | 'tcp' | 'udp' | 'auto'
  readonly tunnelProtocol: 'direct' | 'proxy' | 'connect' | 'hboneWaypoint' | 'hboneGateway'
  /** `internal` opens no socket: only CONNECT tunnels re-enter it. */
  readonly mode: 'standard' | 'internal'
  readonly listeners: readonly Listener[]
  /** Attached to its gateways and to the port; set by merging. */
  readonly frontend?: AttachedFrontend
  readonly origin?: Origin
}

/** The host names of one bind that share certificates, gateway policies and routes. */
export interface Listener {
  readonly key: string
  readonly gatewayName: string
  readonly gatewayNamespace: string
  readonly listenerName: string
  /** The ListenerSet that adds the listener to its gateway. */
  readonly listenerSet?: { readonly namespace: string; readonly name: string }
  /** Exact, `*.suffix`, or empty for every host. Lower-case. */
  readonly hostname: string
  readonly protocol: 'HTTP' | 'HTTPS' | 'TLS' | 'TCP' | 'UDP'
  /** Present for HTTPS, and for TLS listeners that terminate; a TLS listener without it passes the handshake through. */
  readonly tls?: TlsServer
  readonly policies: GatewayPolicies
  /** Attached to its gateway, the port and the listener; set by merging. */
  readonly frontend?: ListenerFrontend
  readonly routes: readonly Route[]
  readonly tcpRoutes: readonly TcpRoute[]
  /** Of UDP listeners only. */
  readonly udpRoutes?: readonly UdpRoute[]
  readonly origin?: Origin
}

/** One HTTP route. */
export interface Route {
  /** `{listener key}/{namespace}/{name}`: the name in traces, logs and metrics. */
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly ruleName?: string
  /** Absent for an HTTPRoute. */
  readonly kind?: 'GRPCRoute'
  readonly precedence?: ResourcePrecedence
  readonly hostnames: readonly string[]
  /** Any of these must match; never empty (the default is the prefix `/`). */
  readonly matches: readonly Match[]
  readonly backends: readonly WeightedBackend[]
  /** Overrides the setting of the route group's route and of the frontend policies. */
  readonly encodedSlashes?: EncodedSlashes
  readonly policies: RoutePolicies
  /** Policies that override those of inner levels, such as the routes of a route group; set by merging. */
  readonly lockedPolicies?: ReadonlySet<string>
  readonly origin?: Origin
}

/** All present parts must match. */
export interface Match {
  readonly path: PathMatch
  readonly method?: string
  readonly headers?: readonly NamedMatch[]
  readonly query?: readonly NamedMatch[]
}

/** One way to match a path. A prefix ends at a segment: `/a` matches `/a/b` and not `/ab`. */
export type PathMatch =
  { readonly exact: string } | { readonly pathPrefix: string } | { readonly regex: string }

/** A header (or pseudo-header such as `:authority`) or query parameter, by name and value. */
export interface NamedMatch {
  readonly name: string
  readonly value: { readonly exact: string } | { readonly regex: string }
}

/** One choice of a route, drawn in proportion to its weight. */
export interface WeightedBackend {
  readonly weight: number
  /** Used only if no backend with a lower number is available; 0 by default. */
  readonly priority?: number
  readonly target: BackendTarget
  /** Policies of this reference; they override those of a named backend. */
  readonly policies: BackendPolicies
}

/** The target of a route. */
export type BackendTarget =
  /** A key into {@link Resources.backends}. Inline backends have one too: `/{route key}/backend{i}`. */
  | { readonly kind: 'backend'; readonly key: string }
  | { readonly kind: 'service'; readonly name: string; readonly port: number }
  | { readonly kind: 'routeGroup'; readonly name: string }
  /** Always replies 500: the reference is marked as broken. */
  | { readonly kind: 'invalid' }

/** A backend. */
export interface Backend {
  /** Named: `{namespace}/{name}`. Inline: `/{route key}/backend{i}`. */
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly spec: BackendSpec
  readonly policies: BackendPolicies
  /** Of providers of language models and of MCP servers, by name, where policies are attached to single ones. */
  readonly sectionPolicies?: Readonly<Record<string, BackendPolicies>>
  readonly origin?: Origin
}

/** How a backend is reached. */
export type BackendSpec =
  | { readonly type: 'static'; readonly target: StaticTarget }
  | ({ readonly type: 'agentCore' } & AgentCoreBackend)
  | DynamicBackend
  | InternalBackend
  | ({ readonly type: 'mcp' } & McpBackend)
  | ({ readonly type: 'llm' } & LlmBackend)

/** The admin interface of this process. */
export interface InternalBackend {
  readonly type: 'internal'
  /** Path and query of every request; absent: those of the request. The query has its question mark, or is empty. */
  readonly fixed?: { readonly path: string; readonly query: string }
}

/** A host and port to connect to, or a unix socket. */
export type StaticTarget = { readonly host: string; readonly port: number } | { readonly unix: string }

/** A named list of routes that other routes hand requests to. */
export interface RouteGroup {
  readonly name: string
  readonly routes: readonly Route[]
}

/** A raw TCP route, by SNI where there is TLS. */
export interface TcpRoute {
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly ruleName?: string
  readonly precedence?: ResourcePrecedence
  readonly hostnames: readonly string[]
  readonly backends: readonly TcpBackend[]
  readonly origin?: Origin
}

/** One choice of a TCP route, drawn in proportion to its weight. */
export interface TcpBackend {
  readonly weight: number
  readonly target: BackendTarget
  readonly tls?: TlsUpstream
  readonly tunnel?: Tunnel
}

/** A route of datagrams. The first one of a listener gets all of them. */
export interface UdpRoute {
  readonly key: string
  readonly name: string
  readonly namespace: string
  readonly ruleName?: string
  readonly precedence?: ResourcePrecedence
  readonly backends: readonly UdpBackend[]
  readonly origin?: Origin
}

/** One choice of a UDP route, drawn for each session in proportion to its weight. */
export interface UdpBackend {
  readonly weight: number
  readonly target: BackendTarget
}

/** A policy attached to something by name instead of written inside it. */
export interface TargetedPolicy {
  readonly name: string
  readonly namespace: string
  readonly target: PolicyTarget
  /** `frontend`: {@link frontend} in place of {@link policy}. */
  readonly phase: 'route' | 'gateway' | 'frontend'
  /** Inner levels neither replace it nor add to it. */
  readonly inheritance?: 'override'
  readonly precedence?: ResourcePrecedence
  /** `http` and `tcp` at backends and services only. */
  readonly policy: RoutePolicies & Pick<BackendPolicies, 'http' | 'tcp'>
  /** Of gateways only. */
  readonly frontend?: AttachedFrontend
  readonly origin?: Origin
}
