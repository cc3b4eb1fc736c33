import type { GraphReads } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'

/** A Gateway whose class names this controller. */
export const ownGateway = (reads: GraphReads, key: string): Gateway | undefined => {
  const gateway = reads.object('Gateway', key)
  if (!gateway) return undefined
  const gatewayClass = reads.object('GatewayClass', gateway.spec.gatewayClassName)
  return gatewayClass?.spec.controllerName === reads.settings.controllerName ? gateway : undefined
}
