import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { UpstreamSettings } from '../../model/resources/process-settings.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import { proxyAddress } from '../connect/proxy-address.ts'
import { endpointOptions, identityOf } from '../load-balancing/endpoint-options.ts'
import type { GrpcClientOptions } from './grpc-client.ts'
import { grpcAddress } from './grpc-target.ts'
import { grpcThrough, type GrpcUnreachable } from './grpc-tunnel.ts'

/** How a gRPC service is reached. */
export interface ServiceConnection {
  /** Distinguishes it from connections to other services, and from others to this one. */
  readonly identity: string
  readonly options: GrpcClientOptions
}

/**
 * How a gRPC service is reached by its policies, or why there is no way through its proxy.
 *
 * @returns Undefined if there is no such destination, or none that is known before a request is.
 */
export const serviceConnection = (
  service: SimpleBackend,
  policies: BackendPolicies,
  resources: ResourceLookup,
  settings: UpstreamSettings,
): ServiceConnection | GrpcUnreachable | undefined => {
  const address = grpcAddress(service, resources)
  if (!address) return undefined
  const options = endpointOptions(policies, settings, address.host)
  const proxy = policies.backendTunnel && proxyAddress(policies.backendTunnel, resources)
  const through = proxy && grpcThrough(proxy, service, resources, options)
  if (through && 'why' in through) return through
  const { target, authority } = through ?? address
  return {
    identity: `grpc ${address.target} ${String(authority)} ${identityOf(policies, address.host, proxy)}`,
    options: { ...options, target, authority, tunnel: through?.tunnel },
  }
}
