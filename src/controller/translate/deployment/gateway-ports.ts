import type { GraphReads } from '../../graph/query.ts'
import { isServedListener } from '../listener/gateway-listener-resources.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { reservedPorts } from '../reserved-ports.ts'

/** The ports at which the listeners of a Gateway can be reached from outside, ascending. */
export const gatewayPorts = (gatewayKey: string, reads: GraphReads): readonly number[] => {
  const served = reads
    .query(gatewayListeners, gatewayKey)
    .filter((listener) => isServedListener(listener) && !listener.isInternal)
  return [...new Set(served.map(({ port }) => port))]
    .filter((port) => !reservedPorts.has(port))
    .sort((a, b) => a - b)
}
