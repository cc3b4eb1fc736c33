import type { Origin } from './origin.ts'
import type { BackendPolicies } from './policies.ts'

/** A name with several addresses, in the manner of a Kubernetes Service. */
export interface Service {
  readonly name: string
  readonly namespace: string
  readonly hostname: string
  /** Service port, such as `80` or `53/udp` → target port. */
  readonly ports: Readonly<Record<string, number>>
  readonly vips: readonly string[]
  /** By service port. */
  readonly appProtocols?: Readonly<Record<string, 'HTTP11' | 'HTTP2' | 'GRPC'>>
  readonly sessionAffinity?: { readonly clientIP: { readonly timeoutMs: number } }
  readonly trafficDistribution?: 'PreferSameZone' | 'PreferSameNode'
  /** Attached policies, set by `mergePolicies`. */
  readonly policies?: BackendPolicies
  /** The same for single ports, with those of the service. Set by `mergePolicies`. */
  readonly portPolicies?: Readonly<Record<string, BackendPolicies>>
  /** Given if a control plane sent it. */
  readonly origin?: Origin
}

/** The name of a port of a service, which may have one of each transport at the same number. */
export const servicePort = (port: number, transport: 'tcp' | 'udp'): string =>
  transport === 'udp' ? `${String(port)}/udp` : String(port)

/** One instance of a service. */
export interface Workload {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly addresses: readonly string[]
  /** `{namespace}/{hostname}` → service port → target port. */
  readonly services: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly status: 'healthy' | 'unhealthy'
  /** Its share in proportion to other endpoints; 1 by default. */
  readonly capacity?: number
  readonly locality?: Locality
  /** The node that it runs on. */
  readonly node?: string
  /** Used only while no other endpoint of a service is healthy. */
  readonly terminating?: true
  /** Given if a control plane sent it. */
  readonly origin?: Origin
}

/** Where a workload runs. */
export interface Locality {
  readonly region?: string
  readonly zone?: string
  readonly subzone?: string
}
