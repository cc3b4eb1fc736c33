import type { GraphReads } from '../../graph/query.ts'
import { isServedListener } from '../listener/gateway-listener-resources.ts'
import { isDatagrams } from '../listener/listener-protocol.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { reservedPorts } from '../reserved-ports.ts'

/** A port of a Gateway: a number may be one for connections, and one for datagrams. */
export interface GatewayPort {
  readonly port: number
  readonly protocol: 'TCP' | 'UDP'
}

/** The ports at which the listeners of a Gateway can be reached from outside, ascending. */
export const gatewayPorts = (gatewayKey: string, reads: GraphReads): readonly GatewayPort[] => {
  const served = reads
    .query(gatewayListeners, gatewayKey)
    .filter((listener) => isServedListener(listener) && !listener.isInternal)
  const numbers = (isUdp: boolean): readonly number[] => [
    ...new Set(served.filter((one) => isDatagrams(one) === isUdp).map(({ port }) => port)),
  ]
  return [
    ...numbers(false).map((port) => ({ port, protocol: 'TCP' }) as const),
    ...numbers(true).map((port) => ({ port, protocol: 'UDP' }) as const),
  ]
    .filter(({ port }) => !reservedPorts.has(port))
    .sort((a, b) => a.port - b.port)
}
