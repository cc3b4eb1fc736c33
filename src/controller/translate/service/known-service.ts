import { defineQuery, type Query } from '../../graph/query.ts'
import type { Service, ServicePort } from '../../kinds/core.ts'

/** What routes and policies read of a Service. Labels and the status of a load balancer change without changing it. */
export interface KnownService {
  readonly isExternalName: boolean
  /** The protocols of each port, by its number: a Service may have thousands, and as many references. */
  readonly ports: ReadonlyMap<string, readonly string[]>
  /** The number of the first port with a name. */
  readonly portsByName: ReadonlyMap<string, number>
}

/** A Service by its key; undefined if there is none. */
export const knownService: Query<KnownService | undefined> = defineQuery('knownService', (reads, key) => {
  const service = reads.object('Service', key)
  if (!service) return undefined
  const ports = service.spec?.ports ?? []
  return {
    isExternalName: isExternalName(service),
    ports: protocolsByPort(ports),
    portsByName: new Map(
      ports.flatMap(({ name, port }) => (name === undefined ? [] : [[name, port] as const])).reverse(),
    ),
  }
})

const isExternalName = ({ spec }: Service): boolean => spec?.type === 'ExternalName'

const protocolsByPort = (ports: readonly ServicePort[]): KnownService['ports'] => {
  const byPort = new Map<string, string[]>()
  for (const { port, protocol = 'TCP' } of ports) {
    const known = byPort.get(String(port))
    if (known) known.push(protocol)
    else byPort.set(String(port), [protocol])
  }
  return byPort
}
