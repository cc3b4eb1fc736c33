import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { BackendTLSPolicy } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { gatewayClientCertificate } from '../certificates/gateway-client-certificate.ts'
import { gatewaysOfPool } from '../inference/pool-gateways.ts'
import { gatewaysOfService } from '../route/service-gateways.ts'
import {
  observedConditions,
  type ObservedCondition,
  type StatusCondition,
} from '../status/status-condition.ts'
import { overridingPolicies } from './overriding-policies.ts'
import { type ValidatedTlsPolicy, validatedTlsPolicy } from './policy-validation.ts'
import { poolOfTarget, targetsOfPolicy, tlsPolicyAtService } from './service-tls-policies.ts'

/** Our part of `.status` of a policy. */
export interface PolicyStatus {
  readonly ancestors: readonly {
    readonly ancestorRef: {
      readonly group: string
      readonly kind?: string
      readonly namespace?: string
      readonly name: string
    }
    readonly controllerName: string
    readonly conditions: readonly ObservedCondition[]
  }[]
}

/**
 * Our part of the status of a BackendTLSPolicy, by its key: each Gateway whose routes reach a target is an ancestor.
 * Undefined if there are none.
 */
export const backendTlsPolicyStatus: Query<PolicyStatus | undefined> = defineQuery(
  'backendTlsPolicyStatus',
  (reads, key) => {
    const policy = reads.object('BackendTLSPolicy', key)
    const validated = reads.query(validatedTlsPolicy, key)
    if (!policy || !validated) return undefined
    const targets = targetsOfPolicy(policy)
    const gateways = new Set(targets.flatMap((id) => gatewaysOfTarget(reads, id)))
    const ancestors = [...gateways].sort().slice(0, MAX_ANCESTORS)
    if (ancestors.length === 0) return undefined
    return {
      ancestors: ancestors.map((gateway) => {
        const [namespace = '', name = ''] = gateway.split('/')
        const reached = targets.filter((id) => gatewaysOfTarget(reads, id).includes(gateway))
        return {
          ancestorRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace, name },
          controllerName: reads.settings.controllerName,
          conditions: observedConditions(
            [
              accepted(reads, policy, validated, gateway, reached),
              validated.resolvedRefs,
              ...shadowed(reads, key, reached),
            ],
            policy.metadata.generation,
          ),
        }
      }),
    }
  },
)

const gatewaysOfTarget = (reads: GraphReads, id: string): readonly string[] => {
  const pool = poolOfTarget(id)
  return pool === undefined ? reads.query(gatewaysOfService, id) : reads.query(gatewaysOfPool, pool)
}

const accepted = (
  reads: GraphReads,
  policy: BackendTLSPolicy,
  { rejection }: ValidatedTlsPolicy,
  gateway: string,
  reached: readonly string[],
): StatusCondition => {
  const denied = (reason: string, message: string): StatusCondition => ({
    type: 'Accepted',
    status: 'False',
    reason,
    message,
  })
  const targets = reached.flatMap((id) => reads.query(tlsPolicyAtService, id).get(objectKey(policy)) ?? [])
  const [conflict] = targets.filter(({ state }) => state === 'conflicted')
  if (conflict)
    return denied(
      'Conflicted',
      `BackendTLSPolicy ${conflict.winner ?? ''} has precedence for the same target`,
    )
  if (rejection) return denied(rejection.reason, rejection.message)
  const [missing] = targets.filter(({ state }) => state === 'portNotFound')
  if (missing) return denied('TargetNotFound', `The target has no port "${missing.sectionName ?? ''}"`)
  const certificate = reads.query(gatewayClientCertificate, gateway)
  if (certificate && 'problem' in certificate) return denied('Invalid', certificate.message)
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Policy accepted' }
}

/** The ProxyPolicies that say what TLS the same targets have, in place of this policy. Absent if there are none. */
const shadowed = (
  reads: GraphReads,
  policy: string,
  reached: readonly string[],
): readonly StatusCondition[] => {
  const texts = reached.flatMap((id) => {
    const target = poolOfTarget(id) === undefined ? `Service/${id}` : id
    const attachments = reads.query(tlsPolicyAtService, id).get(policy) ?? []
    return attachments
      .filter(({ state }) => state === 'effective')
      .flatMap(({ port }) => reads.query(overridingPolicies, target).filter((one) => one.port === port))
      .map(({ policy: other, port }) => {
        const object = target.replace('/', ' ') + (port === undefined ? '' : `, port ${port}`)
        return `ProxyPolicy ${other} has backend.tls for ${object}, in place of this policy`
      })
  })
  if (texts.length === 0) return []
  const message = [...new Set(texts)].slice(0, SHADOWS_SHOWN).join('; ')
  return [{ type: 'agentgateway.dev/Shadowed', status: 'True', reason: 'DuplicateField', message }]
}

/** The message of a condition has a limit. */
const SHADOWS_SHOWN = 10

/** The API allows no more. */
const MAX_ANCESTORS = 16
