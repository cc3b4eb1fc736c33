import { createHash } from 'node:crypto'
import type { GraphReads } from '../../graph/query.ts'
import type { RemoteJwksForm } from '../../schema/jwks-field.ts'
import { validatedTlsPolicy } from '../backend-tls/policy-validation.ts'
import { serviceTlsPolicies } from '../backend-tls/service-tls-policies.ts'
import { serviceNames } from '../service/service-names.ts'

/** A key set that the leader fetches, and the ConfigMap that it is kept in. */
export interface KeySetSource {
  /** Name of the ConfigMap, in the namespace of the control plane: the same for equal sources. */
  readonly name: string
  readonly url: string
  readonly tls?: { readonly rootPem?: string; readonly serverName?: string }
  /** Time between two fetches. */
  readonly refreshMs: number
}

/** Where the keys of a policy are. A Service is spoken to with TLS if a BackendTLSPolicy is attached to it. */
export const keySetSource = (
  reads: GraphReads,
  { url, backendRef, jwksPath = '', cacheDuration = '5m' }: RemoteJwksForm,
  namespace: string,
): KeySetSource | { readonly problem: string } => {
  const refreshMs = durationMs(cacheDuration)
  if (backendRef === undefined) return named(reads, { url: url ?? '', refreshMs })
  const { kind = 'Service', name, port = 0 } = backendRef
  if (kind !== 'Service')
    return { problem: `keys cannot be fetched from a ${kind}, only from a Service or a URL` }
  const service = `${backendRef.namespace ?? namespace}/${name}`
  const tls = serviceTls(reads, service, port)
  if (tls && 'problem' in tls) return tls
  const { hostname } = serviceNames(service, reads.settings)
  const path = jwksPath.startsWith('/') ? jwksPath : `/${jwksPath}`
  return named(reads, {
    url: `${tls ? 'https' : 'http'}://${hostname}:${port}${path}`,
    refreshMs,
    ...(tls ? { tls } : {}),
  })
}

const serviceTls = (
  reads: GraphReads,
  service: string,
  port: number,
): KeySetSource['tls'] | { readonly problem: string } => {
  const effective = reads
    .query(serviceTlsPolicies, service)
    .filter((policy) => policy.state === 'effective' && (policy.port === undefined || policy.port === port))
  const [policy] = effective.toSorted((a, b) => Number(b.port !== undefined) - Number(a.port !== undefined))
  const tls = policy && reads.query(validatedTlsPolicy, policy.policy)?.tls
  if (tls?.invalid !== undefined) return { problem: `TLS to Service ${service}: ${tls.invalid}` }
  return (
    tls && {
      ...(tls.rootPem === undefined ? {} : { rootPem: tls.rootPem }),
      ...(tls.hostname === undefined ? {} : { serverName: tls.hostname }),
    }
  )
}

/** Two control planes in one namespace keep their own. */
const named = (reads: GraphReads, source: Omit<KeySetSource, 'name'>): KeySetSource => {
  const { url, tls } = source
  const identity = JSON.stringify([reads.settings.controllerName, url, tls?.rootPem, tls?.serverName])
  return { name: `jwks-store-${createHash('sha256').update(identity).digest('hex')}`, ...source }
}

/** A duration such as `1h30m`, which the schema has checked. */
const durationMs = (text: string): number =>
  [...text.matchAll(/([0-9]+)(ms|h|m|s)/g)].reduce(
    (sum, [, digits, unit]) => sum + Number(digits) * unitMs[unit as keyof typeof unitMs],
    0,
  )

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
