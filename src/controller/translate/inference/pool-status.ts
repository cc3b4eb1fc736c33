import { defineQuery, type Query } from '../../graph/query.ts'
import {
  observedConditions,
  type ObservedCondition,
  type StatusCondition,
} from '../status/status-condition.ts'
import { knownPool } from './known-pool.ts'
import { gatewaysOfPool } from './pool-gateways.ts'

/** Our part of `.status` of an InferencePool. */
export interface PoolStatus {
  readonly parents: readonly {
    readonly parentRef: {
      readonly group?: string
      readonly kind: string
      readonly namespace?: string
      readonly name: string
    }
    readonly controllerName: string
    readonly conditions: readonly ObservedCondition[]
  }[]
}

/**
 * Our part of the status of an InferencePool, by its key: each Gateway whose routes reach it is a parent. An invalid
 * picker is reported even if there is none.
 */
export const inferencePoolStatus: Query<PoolStatus | undefined> = defineQuery(
  'inferencePoolStatus',
  (reads, key) => {
    const pool = reads.query(knownPool, key)
    if (!pool) return undefined
    const { controllerName } = reads.settings
    const problem = 'problem' in pool.picker ? pool.picker.problem : undefined
    const resolvedRefs: StatusCondition =
      problem === undefined
        ? {
            type: 'ResolvedRefs',
            status: 'True',
            reason: 'ResolvedRefs',
            message: 'All references are resolved',
          }
        : {
            type: 'ResolvedRefs',
            status: 'False',
            reason: 'InvalidExtensionRef',
            message: `error: ${problem}`,
          }
    const accepted: StatusCondition = {
      type: 'Accepted',
      status: 'True',
      reason: 'Accepted',
      message: `InferencePool has been accepted by controller ${controllerName}`,
    }
    const { generation } = reads.object('InferencePool', key)?.metadata ?? {}
    const gateways = reads.query(gatewaysOfPool, key).slice(0, MAX_PARENTS)
    if (gateways.length > 0)
      return {
        parents: gateways.map((gateway) => {
          const [namespace = '', name = ''] = gateway.split('/')
          return {
            parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace, name },
            controllerName,
            conditions: observedConditions([accepted, resolvedRefs], generation),
          }
        }),
      }
    if (problem === undefined) return undefined
    return {
      parents: [
        {
          parentRef: { kind: 'Status', name: 'default' },
          controllerName,
          conditions: observedConditions([accepted, resolvedRefs], generation),
        },
      ],
    }
  },
)

/** The API allows no more. */
const MAX_PARENTS = 32
