import { defineQuery, type Query } from '../../graph/query.ts'
import type { Service, ServicePort } from '../../kinds/core.ts'

/** What routes and policies read of a Service. Labels and the status of a load balancer change without changing it. */
export interface KnownService {
  readonly isExternalName: boolean
  readonly ports: readonly ServicePort[]
}

/** A Service by its key; undefined if there is none. */
export const knownService: Query<KnownService | undefined> = defineQuery('knownService', (reads, key) => {
  const service = reads.object('Service', key)
  // Copied, so that a list of another shape fails here, and not where it is read.
  return (
    service && {
      isExternalName: isExternalName(service),
      ports: (service.spec?.ports ?? []).map((port) => ({ ...port })),
    }
  )
})

const isExternalName = ({ spec }: Service): boolean => spec?.type === 'ExternalName'
