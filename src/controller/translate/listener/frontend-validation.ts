import type { GraphReads } from '../../graph/query.ts'
import type { FrontendTlsConfig, Gateway } from '../../kinds/gateway-api.ts'
import { referencedAuthorities } from '../certificates/certificate-authorities.ts'
import type { UnresolvedReference } from '../certificates/certificate-reference.ts'
import { listenerOwnerOrigin } from '../grants/reference-grants.ts'
import type { ListenerProblem } from './listener-conditions.ts'

/** How a listener treats the certificates of its clients. */
export interface ClientValidation {
  /** Empty if no authority is known, in which case no client may be let in. */
  readonly rootPem: string
  readonly allowsInsecureFallback: boolean
  /** The first of the references that lead nowhere. */
  readonly unresolved?: ListenerProblem
}

/**
 * The validation of client certificates on a port of a Gateway, if there is one. It is the Gateway's also for entries of
 * ListenerSets, and its references are the Gateway's.
 */
export const clientValidation = (
  reads: GraphReads,
  gateway: Gateway,
  port: number,
): ClientValidation | undefined => {
  const validation = frontendTls(gateway, port)?.validation
  if (!validation) return undefined
  const origin = listenerOwnerOrigin('Gateway', gateway.metadata.namespace ?? '')
  const { rootPem, unresolved } = referencedAuthorities(reads, origin, validation.caCertificateRefs)
  return {
    rootPem,
    allowsInsecureFallback: validation.mode === 'AllowInsecureFallback',
    ...(unresolved[0] ? { unresolved: authorityProblem(unresolved[0]) } : {}),
  }
}

/** Whether a Gateway lets clients in whose certificates are not verified. */
export const allowsInsecureFallback = ({ spec }: Gateway): boolean =>
  [spec.tls?.frontend?.default, ...(spec.tls?.frontend?.perPort ?? []).map(({ tls }) => tls)].some(
    (config) => config?.validation?.mode === 'AllowInsecureFallback',
  )

const frontendTls = ({ spec }: Gateway, port: number): FrontendTlsConfig | undefined => {
  const frontend = spec.tls?.frontend
  return frontend?.perPort?.find((entry) => entry.port === port)?.tls ?? frontend?.default
}

const authorityProblem = ({ problem, message }: UnresolvedReference): ListenerProblem => ({
  reason: authorityReasons[problem],
  message,
})

const authorityReasons = {
  invalid: 'InvalidCACertificateRef',
  invalidKind: 'InvalidCACertificateKind',
  notPermitted: 'RefNotPermitted',
} as const
