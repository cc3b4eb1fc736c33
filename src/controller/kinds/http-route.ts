/**
 * HTTPRoute of the Gateway API v1.6, experimental fields included.
 *
 * @module
 */
import type { ObjectReference } from './gateway-api.ts'
import type { KubernetesObject } from './object.ts'

/** A reference of a route to its parent. */
export interface ParentReference extends ObjectReference {
  readonly sectionName?: string
  readonly port?: number
}

/** `gateway.networking.k8s.io/v1.HTTPRoute`. */
export interface HTTPRoute extends KubernetesObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[]
    readonly useDefaultGateways?: string
    readonly hostnames?: readonly string[]
    readonly rules?: readonly HTTPRouteRule[]
  }
}

/** A rule of a route. */
export interface HTTPRouteRule {
  readonly name?: string
  readonly matches?: readonly HTTPRouteMatch[]
  readonly filters?: readonly HTTPRouteFilter[]
  readonly backendRefs?: readonly HTTPBackendRef[]
  /** Durations of GEP-2257. */
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string }
  readonly retry?: {
    readonly codes?: readonly number[]
    readonly attempts?: number
    readonly backoff?: string
  }
  readonly sessionPersistence?: {
    readonly sessionName?: string
    readonly absoluteTimeout?: string
    readonly idleTimeout?: string
    readonly type?: 'Cookie' | 'Header'
    readonly cookieConfig?: { readonly lifetimeType?: 'Permanent' | 'Session' }
  }
}

/** All parts must match. */
export interface HTTPRouteMatch {
  readonly path?: { readonly type?: string; readonly value?: string }
  readonly headers?: readonly ValueMatch[]
  readonly queryParams?: readonly ValueMatch[]
  readonly method?: string
}

/** A match of a header or query parameter. */
export interface ValueMatch {
  readonly type?: string
  readonly name: string
  readonly value: string
}

/** A reference to a backend, with its weight and filters. */
export interface HTTPBackendRef extends ObjectReference {
  readonly port?: number
  readonly weight?: number
  readonly filters?: readonly HTTPRouteFilter[]
}

/** A filter; one field goes with each type. */
export interface HTTPRouteFilter {
  readonly type: string
  readonly requestHeaderModifier?: HeaderFilter
  readonly responseHeaderModifier?: HeaderFilter
  readonly requestMirror?: {
    readonly backendRef: ObjectReference & { readonly port?: number }
    readonly percent?: number
    readonly fraction?: { readonly numerator: number; readonly denominator?: number }
  }
  readonly requestRedirect?: {
    readonly scheme?: string
    readonly hostname?: string
    readonly path?: PathModifier
    readonly port?: number
    readonly statusCode?: number
  }
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier }
  readonly cors?: {
    readonly allowOrigins?: readonly string[]
    readonly allowCredentials?: boolean
    readonly allowMethods?: readonly string[]
    readonly allowHeaders?: readonly string[]
    readonly exposeHeaders?: readonly string[]
    readonly maxAge?: number
  }
  readonly externalAuth?: Readonly<Record<string, unknown>>
  readonly extensionRef?: ObjectReference
}

/** Changes of headers. */
export interface HeaderFilter {
  readonly set?: readonly { readonly name: string; readonly value: string }[]
  readonly add?: readonly { readonly name: string; readonly value: string }[]
  readonly remove?: readonly string[]
}

/** A change of a path. */
export interface PathModifier {
  readonly type: string
  readonly replaceFullPath?: string
  readonly replacePrefixMatch?: string
}
