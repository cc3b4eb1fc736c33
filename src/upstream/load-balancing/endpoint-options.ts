import { hash } from 'node:crypto'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { PoolSettings, UpstreamSettings } from '../../model/resources/process-settings.ts'
import type { ProxyAddress } from '../backend-tunnel/schema.ts'
import type { Connected } from '../connect/dial.ts'
import type { EndpointOptions } from './endpoint.ts'
import type { HttpProxy } from '../connect/http-proxy.ts'
import { protocolOf } from '../http/client-options.ts'
import { TlsClient } from '../connect/tls.ts'

/** The policies that apply to connections, and pool settings where the upstream does not use the default pool. */
export interface ConnectionPolicies extends BackendPolicies {
  readonly pool?: PoolSettings | undefined
}

/**
 * The connection options of an upstream: by its policies, else by the process settings.
 *
 * @param host Name or address of the upstream.
 * @param connected Called for each connection.
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
 * Distinguishes connections to one address from others to the same address. Health policies are part of it: where two
 * disagree, each keeps its own record.
 */
export const identityOf = (
  { tcp, backendTLS, http, health, pool }: ConnectionPolicies,
  host: string,
  proxy?: ProxyAddress,
): string =>
  JSON.stringify([
    (backendTLS ?? proxy) && host,
    // Hashed: private keys and credentials are part of them, and an identity may appear in a message.
    backendTLS && hashOf(backendTLS),
    tcp,
    http?.version,
    health,
    pool,
    proxy && hashOf(proxy),
  ])

const hashOf = (value: object): string => hash('sha256', JSON.stringify(value), 'base64')
