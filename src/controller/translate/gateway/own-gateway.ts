import type { GraphReads } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { attempt } from '../attempt.ts'

/** A Gateway whose class names this controller. One of a shape without a class is nobody's. */
export const ownGateway = (reads: GraphReads, key: string): Gateway | undefined => {
  const gateway = reads.object('Gateway', key)
  if (!gateway) return undefined
  const controller = attempt(
    () => reads.object('GatewayClass', gateway.spec.gatewayClassName)?.spec.controllerName,
  ).value
  return controller === reads.settings.controllerName ? gateway : undefined
}
