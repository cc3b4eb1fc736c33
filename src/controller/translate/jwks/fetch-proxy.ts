import type * as File from '../../../config/schema/file-types.gen.ts'
import type { GraphReads } from '../../graph/query.ts'
import { connectionPolicy, type ConnectionTarget, shown } from './connection-policy.ts'
import { fetchAddress } from './fetch-address.ts'
import { fetchTls } from './fetch-tls.ts'

/** The HTTP proxy that connections of the control plane to a target go through (CONNECT). */
export interface FetchProxy {
  /** Its origin; `https` if it is spoken to with TLS. */
  readonly url: string
  readonly tls?: File.UpstreamTls
  readonly authorization?: {
    /** The value of `Proxy-Authorization`. */
    readonly value: string
    /** The object that has it, which may be told where the value may not. */
    readonly owner: string
  }
}

/** The proxy that `tunnel` of a ProxyBackend or of a ProxyPolicy names for a target; undefined without one. */
export const fetchProxy = (
  reads: GraphReads,
  target: ConnectionTarget,
): FetchProxy | { readonly problem: string } | undefined => {
  const tunnel = connectionPolicy(reads, target, 'tunnel')
  if (!tunnel) return undefined
  if (tunnel.problem !== undefined) return { problem: tunnel.problem }
  const proxy = tunnel.policy.backendTunnel?.proxy
  if (proxy?.host !== undefined) return { url: proxy.host }
  const at = { id: tunnel.references[0] ?? '', port: proxy?.service?.port ?? 0 }
  if (connectionPolicy(reads, at, 'tunnel'))
    return { problem: `${shown(at.id)} is a proxy, and has a tunnel of its own: it must be reached directly` }
  const found = fetchAddress(reads, at)
  if ('problem' in found) return found
  const tls = fetchTls(reads, at)
  if (tls && 'problem' in tls) return tls
  const authorization = proxyAuthorization(reads, at)
  if (authorization && 'problem' in authorization) return authorization
  return {
    url: `${tls ? 'https' : 'http'}://${found.address}`,
    ...(tls ? { tls } : {}),
    ...(authorization ? { authorization } : {}),
  }
}

const proxyAuthorization = (
  reads: GraphReads,
  proxy: ConnectionTarget,
): FetchProxy['authorization'] | { readonly problem: string } => {
  const auth = connectionPolicy(reads, proxy, 'auth')
  if (!auth) return undefined
  const { owner, problem } = auth
  if (problem !== undefined) return { problem }
  const value = keyOf(auth.policy.backendAuth)
  return value === undefined
    ? { problem: `auth of ${shown(owner)}: a proxy gets no credential but a key in its header Authorization` }
    : { value, owner }
}

const keyOf = (auth: File.BackendAuth | undefined): string | undefined => {
  if (typeof auth !== 'object') return undefined
  const { key, credentials, ...others } = auth
  if (typeof key !== 'object' || !('value' in key) || credentials?.length || Object.keys(others).length > 0)
    return undefined
  const { value, location } = key
  if (typeof value !== 'string') return undefined
  if (location === undefined) return `Bearer ${value}`
  const { name = '', prefix = '' } = location.header ?? {}
  return /^(?:proxy-)?authorization$/i.test(name) ? `${prefix}${value}` : undefined
}
