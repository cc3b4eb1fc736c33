/**
 * The resources that a control plane sends to a gateway. Each has the form that it has in a configuration file, and is
 * checked by the same schema: there is one notation, with two ways to the compiler.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type * as File from '../schema/file-types.gen.ts'

/** The form of each kind of resource, as in a configuration file. */
export interface XdsModels {
  /** A port, without its listeners. */
  readonly bind: Omit<File.Bind, 'listeners'>
  /** A listener, without its routes. Its parent is a bind. */
  readonly listener: Omit<File.BindListener, 'routes' | 'tcpRoutes' | 'udpRoutes'>
  /** One rule of an HTTP or gRPC route. Its parents are listeners and route groups. */
  readonly route: File.Route
  /** One rule of a TCP or TLS route. Its parents are listeners. */
  readonly tcpRoute: File.TcpRoute
  /** One rule of a UDP route. Its parents are listeners. */
  readonly udpRoute: File.UdpRoute
  /** Language models that share a route. Its parents are listeners, which send everything to it that no other route matches. */
  readonly models: Omit<File.LlmSection, 'gateways' | 'port' | 'tls' | 'providers'>
  readonly backend: File.NamedBackend
  readonly policy: File.TargetedPolicy
  readonly service: File.Service
  /** One endpoint of services. */
  readonly workload: File.Workload
}

/** A kind of resource. */
export type XdsKind = keyof XdsModels

/** A resource of one kind. */
export interface XdsResourceOf<Kind extends XdsKind> {
  readonly kind: Kind
  /** Unique within its kind. */
  readonly key: string
  /**
   * Keys of the resources that contain it: the bind of a listener, the listeners of a route or of models. A route group
   * is no resource of its own: it is there as long as routes are in it, by `routeGroupParent` of its name.
   */
  readonly parents: readonly string[]
  /** Equal for equal contents, on every replica of the control plane. */
  readonly version: string
  readonly model: XdsModels[Kind]
}

/** A resource. Its name in xDS is `{kind}/{key}`. */
export type XdsResource = { readonly [Kind in XdsKind]: XdsResourceOf<Kind> }[XdsKind]

/** Makes a resource and its version. */
export const xdsResource = <Kind extends XdsKind>(
  kind: Kind,
  key: string,
  model: XdsModels[Kind],
  parents: readonly string[] = [],
): XdsResourceOf<Kind> => ({
  kind,
  key,
  parents,
  version: hash('sha256', JSON.stringify([parents, model])).slice(0, 16),
  model,
})

/** How a route names a route group among its parents; keys of listeners begin with a namespace, in lower case. */
export const routeGroupParent = (name: string): string => `${ROUTE_GROUP}${name}`

/** The name of the route group that a parent is; undefined for listeners. */
export const routeGroupOf = (parent: string): string | undefined =>
  parent.startsWith(ROUTE_GROUP) ? parent.slice(ROUTE_GROUP.length) : undefined

const ROUTE_GROUP = 'routeGroup/'

/** How the origin of what a control plane has sent begins; its name follows. */
export const XDS_ORIGIN = 'xds:'

/** The name of a resource in xDS. */
export const xdsName = ({ kind, key }: { readonly kind: string; readonly key: string }): string =>
  `${kind}/${key}`
