/**
 * TLSRoute, TCPRoute and UDPRoute of the Gateway API v1.6. They differ in the host names.
 *
 * @module
 */
import type { ObjectReference } from './gateway-api.ts'
import type { ParentReference } from './http-route.ts'
import type { KubernetesObject } from './object.ts'

/** A route of connections or datagrams. */
export interface Layer4Route extends KubernetesObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[]
    readonly useDefaultGateways?: string
    /** Of TLSRoutes: names of TLS handshakes (SNI). */
    readonly hostnames?: readonly string[]
    readonly rules?: readonly Layer4Rule[]
  }
}

/** A rule of a route of connections or datagrams. It has no matches: the first one gets all of them. */
export interface Layer4Rule {
  readonly name?: string
  readonly backendRefs?: readonly Layer4BackendRef[]
}

/** A reference to a backend, with its weight. */
export interface Layer4BackendRef extends ObjectReference {
  readonly port?: number
  readonly weight?: number
}
