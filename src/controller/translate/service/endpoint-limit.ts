import { defineQuery, type Query } from '../../graph/query.ts'
import { endpointPortCount } from './endpoints-of-service.ts'

/**
 * Endpoints of a Service times ports. Two small objects multiply: without a limit, a Service with thousands of ports and a
 * thousand endpoints would fill the memory of the control plane and of every proxy.
 */
const MAX_ENDPOINT_PORTS = 100_000
/**
 * A Service of so many ports may have any number of endpoints: then they cost little more than the objects that list them.
 * Nearly every Service is such a one, and its routes do not depend on its endpoints.
 */
const FEW_PORTS = 16

/** Why proxies get no endpoints of a Service, because there are too many; undefined if there are not. Key: that of the Service. */
export const endpointLimit: Query<string | undefined> = defineQuery('endpointLimit', (reads, key) => {
  const ports = reads.object('Service', key)?.spec?.ports ?? []
  if (ports.length <= FEW_PORTS) return undefined
  return endpointPortCount(reads, key, ports) > MAX_ENDPOINT_PORTS
    ? `Service ${key} has more than ${MAX_ENDPOINT_PORTS} endpoints, each counted for each of its ports: only a Service with at most ${FEW_PORTS} ports may`
    : undefined
})
