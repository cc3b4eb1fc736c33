import type * as File from '../../../config/schema/file-types.gen.ts'
import { type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewayClientCertificate } from '../certificates/gateway-client-certificate.ts'
import { poolNames } from '../inference/pool-names.ts'
import { serviceNames } from '../service/service-names.ts'
import { validatedTlsPolicy } from './policy-validation.ts'
import { poolOfTarget, serviceTlsPolicies } from './service-tls-policies.ts'

/** The TLS policies of a Service or an InferencePool at one Gateway; key: that of `targetAtGateway`. */
export const serviceTlsResources: Query<readonly XdsResource[]> = defineQuery(
  'serviceTlsResources',
  (reads, key) => {
    const [gateway = '', id = ''] = key.split(' ')
    const policies = reads.query(serviceTlsPolicies, id).filter(({ state }) => state === 'effective')
    if (policies.length === 0) return []
    const certificate = reads.query(gatewayClientCertificate, gateway)
    const pool = poolOfTarget(id)
    const target = pool === undefined ? serviceNames(id, reads.settings) : poolNames(pool, reads.settings)
    return policies.flatMap(({ policy, sectionName, port }) => {
      const tls = reads.hasFailed(validatedTlsPolicy, policy)
        ? UNKNOWN
        : reads.query(validatedTlsPolicy, policy)?.tls
      if (!tls) return []
      const [namespace = '', name = ''] = policy.split('/')
      const model: File.TargetedPolicy = {
        name: { namespace, name },
        target: {
          backend: {
            service: {
              namespace: target.namespace,
              hostname: target.hostname,
              ...(port === undefined ? {} : { port }),
            },
          },
        },
        policy: { backendTLS: withCertificate(tls, certificate) },
      }
      const kind = pool === undefined ? '' : 'InferencePool/'
      const section = sectionName === undefined ? '' : `/${sectionName}`
      return [xdsResource('policy', `BackendTLSPolicy/${policy}/${kind}${target.name}${section}`, model)]
    })
  },
)

/** Without a policy that cannot be computed, connections might be less safe: they fail. */
const UNKNOWN: File.UpstreamTls = { invalid: 'The BackendTLSPolicy cannot be translated' }

/** The key of the target of a policy at a Gateway. */
export const targetAtGateway = (gateway: string, id: string): string => `${gateway} ${id}`

/** A broken client certificate fails every connection: without it, the gateway would be anonymous where it must not be. */
const withCertificate = (
  tls: File.UpstreamTls,
  certificate: ReturnType<(typeof gatewayClientCertificate)['compute']>,
): File.UpstreamTls => {
  if (tls.invalid !== undefined || certificate === undefined) return tls
  if ('problem' in certificate) return { invalid: certificate.message }
  return { ...tls, certPem: certificate.certPem, keyPem: certificate.keyPem }
}
