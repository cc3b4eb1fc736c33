import { defineQuery, type Query } from '../../graph/query.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { InferencePool } from '../../kinds/inference-pool.ts'
import { endpointLimit } from '../service/endpoint-limit.ts'
import { knownService } from '../service/known-service.ts'
import { isPort } from '../service/port-number.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'

/** What routes, policies and statuses read of an InferencePool. */
export interface KnownPool {
  /** The target ports, the first of which is that of references. */
  readonly ports: readonly [number, ...number[]]
  readonly picker: PoolPicker
  readonly failsOpen: boolean
}

/** The Service of an endpoint picker, or why there is none. */
export type PoolPicker =
  | { readonly service: string; readonly port: number }
  | { readonly problem: string; readonly service?: string }

/** An InferencePool by its key; undefined if there is none. */
export const knownPool: Query<KnownPool | undefined> = defineQuery('knownPool', (reads, key) => {
  const pool = reads.object('InferencePool', key)
  if (!pool) return undefined
  const [first, ...others] = pool.spec.targetPorts.map(({ number }) => number).filter(isPort)
  if (first === undefined) throw new Error(`InferencePool ${key} has no target port`)
  return {
    ports: [first, ...others],
    picker: pickerOf(reads, pool),
    failsOpen: pool.spec.endpointPickerRef.failureMode === 'FailOpen',
  }
})

const pickerOf = (reads: GraphReads, { metadata, spec }: InferencePool): PoolPicker => {
  const { group = '', kind = 'Service', name, port } = spec.endpointPickerRef
  if (group !== '' || kind !== 'Service') return { problem: unsupportedKind(group, kind) }
  if (!port) return { problem: `the reference to Service ${name} has no port` }
  const key = `${metadata.namespace ?? ''}/${name}`
  const service = reads.tryQuery(knownService, key)
  if (!service) return { problem: `Service ${key} was not found`, service: key }
  // Its name may lead to anywhere.
  if (service.isExternalName) return { problem: `Service ${key} is of type ExternalName`, service: key }
  if (!service.ports.get(String(port.number))?.includes('TCP'))
    return { problem: `Service ${key} has no TCP port ${String(port.number)}`, service: key }
  const tooMany = reads.query(endpointLimit, key)
  if (tooMany !== undefined) return { problem: tooMany, service: key }
  return { service: key, port: port.number }
}

/** The key of the Service of the picker of an InferencePool; undefined if it cannot be used. */
export const pickerService = (reads: GraphReads, pool: string): string | undefined => {
  const picker = reads.tryQuery(knownPool, pool)?.picker
  return picker && !('problem' in picker) ? picker.service : undefined
}
