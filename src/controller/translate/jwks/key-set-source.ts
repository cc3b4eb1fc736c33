import { hash } from 'node:crypto'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { RemoteJwksForm } from '../../schema/jwks-field.ts'
import { isProxyBackend } from '../backend/reference-problem.ts'
import { fetchAddress } from './fetch-address.ts'
import { type FetchProxy, fetchProxy } from './fetch-proxy.ts'
import { fetchTls } from './fetch-tls.ts'

/** A key set that the leader fetches, and the ConfigMap that it is kept in. */
export interface KeySetSource {
  /** Name of the ConfigMap, in the namespace of the control plane: the same for equal sources. */
  readonly name: string
  readonly url: string
  readonly tls?: File.UpstreamTls
  readonly proxy?: FetchProxy
  /** Time between two fetches. */
  readonly refreshMs: number
}

/** Where the keys of a policy are. The policies of the backend say whether it is spoken to with TLS, and through a proxy. */
export const keySetSource = (
  reads: GraphReads,
  { url, backendRef, jwksPath = '', cacheDuration = '5m' }: RemoteJwksForm,
  namespace: string,
): KeySetSource | { readonly problem: string } => {
  const refreshMs = durationMs(cacheDuration)
  if (backendRef === undefined) return named(reads, { url: url ?? '', refreshMs })
  const { name, port = 0 } = backendRef
  const kind = isProxyBackend(backendRef) ? 'ProxyBackend' : 'Service'
  const target = { id: `${kind}/${backendRef.namespace ?? namespace}/${name}`, port }
  const found = fetchAddress(reads, target)
  if ('problem' in found) return found
  const tls = fetchTls(reads, target)
  if (tls && 'problem' in tls) return tls
  const proxy = fetchProxy(reads, target)
  if (proxy && 'problem' in proxy) return proxy
  const path = jwksPath.startsWith('/') ? jwksPath : `/${jwksPath}`
  return named(reads, {
    url: `${tls ? 'https' : 'http'}://${found.address}${path}`,
    refreshMs,
    ...(tls ? { tls } : {}),
    ...(proxy ? { proxy } : {}),
  })
}

/** Two control planes in one namespace keep their own. */
const named = (reads: GraphReads, source: Omit<KeySetSource, 'name'>): KeySetSource => {
  const { url, tls = {}, proxy } = source
  const { rootPem, hostname, ...others } = publicParts(tls)
  // As it was before there were other parts: an upgrade keeps what has been fetched.
  const further = Object.keys(others).length === 0 && !proxy ? [] : [others, proxy && proxyIdentity(proxy)]
  const identity = JSON.stringify([reads.settings.controllerName, url, rootPem, hostname, ...further])
  return { name: `jwks-store-${hash('sha256', identity)}`, ...source }
}

/** Names are public, and a hash would let guesses at a short secret be verified. */
const proxyIdentity = ({ url, tls = {}, authorization }: FetchProxy): unknown => [
  url,
  publicParts(tls),
  authorization?.owner,
]

const publicParts = ({ keyPem: _, ...others }: File.UpstreamTls): Omit<File.UpstreamTls, 'keyPem'> => others

/** A duration such as `1h30m`, which the schema has checked. */
const durationMs = (text: string): number =>
  [...text.matchAll(/([0-9]+)(ms|h|m|s)/g)].reduce(
    (sum, [, digits, unit]) => sum + Number(digits) * unitMs[unit as keyof typeof unitMs],
    0,
  )

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
