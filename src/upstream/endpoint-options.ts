import type { BackendPolicies } from '../model/policies.ts'
import type { PoolSettings, UpstreamSettings } from '../model/process-settings.ts'
import type { Connected } from './dial.ts'
import type { EndpointOptions } from './endpoint.ts'
import { protocolOf } from './protocol.ts'
import { TlsClient } from './tls.ts'

/** The policies that hold for connections, and a pool of their own where they do not belong to the pool of everybody. */
export interface ConnectionPolicies extends BackendPolicies {
  readonly pool?: PoolSettings | undefined
}

/**
 * How an upstream's connections are made: as its policies say, else as the process does.
 *
 * @param connected Told of each.
 */
export const endpointOptions = (
  { tcp, http, backendTLS, pool }: ConnectionPolicies,
  settings: UpstreamSettings,
  host: string,
  connected?: Connected,
): EndpointOptions => ({
  connectTimeoutMs: tcp?.connectTimeoutMs ?? settings.connectTimeoutMs,
  keepalives: tcp?.keepalives ?? settings.keepalives,
  tls: backendTLS && new TlsClient(backendTLS, host),
  protocol: protocolOf(http, backendTLS),
  poolIdleTimeoutMs: (pool ?? settings).poolIdleTimeoutMs,
  poolMaxSize: (pool ?? settings).poolMaxSize,
  connected,
})

/**
 * What tells connections to one address from others to the same address. How an upstream is judged belongs to it: where
 * two disagree about what is healthy, each keeps a record of its own.
 */
export const identityOf = (
  { tcp, backendTLS, http, health, pool }: ConnectionPolicies,
  host: string,
): string => JSON.stringify([backendTLS && host, backendTLS, tcp, http?.version, health, pool])
