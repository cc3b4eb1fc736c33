import type { GraphReads } from '../../graph/query.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { reservedPorts } from './proxy-service.ts'

/** The ports that the listeners of a Gateway serve, ascending. */
export const gatewayPorts = (gatewayKey: string, reads: GraphReads): readonly number[] => {
  const served = reads
    .query(gatewayListeners, gatewayKey)
    .filter(({ isAccepted, isConflicted }) => isAccepted && !isConflicted)
  return [...new Set(served.map(({ port }) => port))]
    .filter((port) => !reservedPorts.has(port))
    .sort((a, b) => a - b)
}
