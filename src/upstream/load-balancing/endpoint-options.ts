import { createHash } from 'node:crypto'
import type { BackendPolicies } from '../model/policies.ts'
import type { PoolSettings, UpstreamSettings } from '../model/process-settings.ts'
import type { ProxyPlace } from '../model/tunnel.ts'
import type { Connected } from './dial.ts'
import type { EndpointOptions } from './endpoint.ts'
import type { HttpProxy } from './http-proxy.ts'
import { protocolOf } from './protocol.ts'
import { TlsClient } from './tls.ts'

/** The policies that hold for connections, and a pool of their own where they do not belong to the pool of everybody. */
export interface ConnectionPolicies extends BackendPolicies {
  readonly pool?: PoolSettings | undefined
}

/**
 * How an upstream's connections are made: as its policies say, else as the process does.
 *
 * @param host Name or address of the upstream.
 * @param connected Told of each.
 * @param proxy In front of it.
 */
export const endpointOptions = (
  { tcp, http, backendTLS, pool }: ConnectionPolicies,
  settings: UpstreamSettings,
  host: string,
  connected?: Connected,
  proxy?: HttpProxy,
): EndpointOptions => ({
  host,
  connectTimeoutMs: tcp?.connectTimeoutMs ?? settings.connectTimeoutMs,
  keepalives: tcp?.keepalives ?? settings.keepalives,
  tls: backendTLS && new TlsClient(backendTLS, host),
  protocol: protocolOf(http, backendTLS),
  poolIdleTimeoutMs: (pool ?? settings).poolIdleTimeoutMs,
  poolMaxSize: (pool ?? settings).poolMaxSize,
  connected,
  proxy,
})

/**
 * What tells connections to one address from others to the same address. How an upstream is judged belongs to it: where
 * two disagree about what is healthy, each keeps a record of its own.
 */
export const identityOf = (
  { tcp, backendTLS, http, health, pool }: ConnectionPolicies,
  host: string,
  proxy?: ProxyPlace,
): string =>
  JSON.stringify([
    (backendTLS ?? proxy) && host,
    backendTLS,
    tcp,
    http?.version,
    health,
    pool,
    // Its credential is one of the things that tell it from others, and a key may turn up in a message.
    proxy && createHash('sha256').update(JSON.stringify(proxy)).digest('base64'),
  ])
