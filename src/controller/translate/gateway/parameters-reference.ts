import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayClass } from '../../kinds/gateway-api.ts'

/** What is wrong with the reference of a class to its parameters: so far, there is no kind of parameters. */
export const classParametersError = ({ spec: { parametersRef } }: GatewayClass): string | undefined =>
  parametersRef && unsupported(parametersRef)

/** What is wrong with the references to parameters that the proxies of a Gateway should have. */
export const gatewayParametersError = (reads: GraphReads, gateway: Gateway): string | undefined => {
  const { infrastructure, gatewayClassName } = gateway.spec
  const gatewayClass = reads.object('GatewayClass', gatewayClassName)
  const classError = gatewayClass && classParametersError(gatewayClass)
  if (classError !== undefined) return `GatewayClass ${gatewayClassName}: ${classError}`
  const { parametersRef } = infrastructure ?? {}
  return parametersRef && unsupported(parametersRef)
}

const unsupported = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  `parametersRef to ${group === '' ? '' : `${group}/`}${kind} is not supported`
