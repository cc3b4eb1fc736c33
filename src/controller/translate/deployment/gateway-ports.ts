import type { GraphReads } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { reservedPorts } from './proxy-service.ts'

/** The ports that a Gateway listens on, ascending. */
export const gatewayPorts = (gateway: Gateway, _: GraphReads): readonly number[] => {
  const ports = (gateway.spec.listeners ?? []).flatMap(({ port }) => (port === undefined ? [] : [port]))
  return [...new Set(ports)].filter((port) => !reservedPorts.has(port)).sort((a, b) => a - b)
}
