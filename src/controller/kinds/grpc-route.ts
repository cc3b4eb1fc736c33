/**
 * GRPCRoute of the Gateway API v1.6, experimental fields included.
 *
 * @module
 */
import type { ObjectReference } from './gateway-api.ts'
import type { HTTPRouteFilter, HTTPRouteRule, ParentReference, ValueMatch } from './http-route.ts'
import type { KubernetesObject } from './object.ts'

/** `gateway.networking.k8s.io/v1.GRPCRoute`. */
export interface GRPCRoute extends KubernetesObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[]
    readonly useDefaultGateways?: string
    readonly hostnames?: readonly string[]
    readonly rules?: readonly GRPCRouteRule[]
  }
}

/** A rule of a gRPC route. */
export interface GRPCRouteRule {
  readonly name?: string
  readonly matches?: readonly GRPCRouteMatch[]
  readonly filters?: readonly GRPCRouteFilter[]
  readonly backendRefs?: readonly GRPCBackendRef[]
  readonly sessionPersistence?: HTTPRouteRule['sessionPersistence']
}

/** All parts must match. */
export interface GRPCRouteMatch {
  readonly method?: { readonly type?: string; readonly service?: string; readonly method?: string }
  readonly headers?: readonly ValueMatch[]
}

/** A filter; one field goes with each type. They are those of HTTPRoutes, as far as GRPCRoutes have them. */
export type GRPCRouteFilter = Pick<
  HTTPRouteFilter,
  'type' | 'requestHeaderModifier' | 'responseHeaderModifier' | 'requestMirror' | 'extensionRef'
>

/** A reference to a backend, with its weight and filters. */
export interface GRPCBackendRef extends ObjectReference {
  readonly port?: number
  readonly weight?: number
  readonly filters?: readonly GRPCRouteFilter[]
}
