import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayClass } from '../../kinds/gateway-api.ts'

/** What is wrong with a reference of a class to its parameters. */
export const classParametersError = ({ spec: { parametersRef } }: GatewayClass): string | undefined => {
  if (!parametersRef) return undefined
  if (!isParametersKind(parametersRef)) return unsupported(parametersRef)
  return parametersRef.namespace === undefined
    ? `parametersRef to ${parametersRef.kind} ${parametersRef.name} needs a namespace`
    : undefined
}

/** What is wrong with the parameters that the proxies of a Gateway should have. */
export const gatewayParametersError = (reads: GraphReads, gateway: Gateway): string | undefined => {
  const { infrastructure, gatewayClassName } = gateway.spec
  const gatewayClass = reads.object('GatewayClass', gatewayClassName)
  const classError = gatewayClass && classParametersError(gatewayClass)
  if (classError !== undefined) return `GatewayClass ${gatewayClassName}: ${classError}`
  const { parametersRef } = infrastructure ?? {}
  return parametersRef && !isParametersKind(parametersRef) ? unsupported(parametersRef) : undefined
}

interface KindReference {
  readonly group: string
  readonly kind: string
}

const isParametersKind = ({ group, kind }: KindReference): boolean =>
  group === 'agentgateway.dev' && kind === 'ProxyParameters'

const unsupported = ({ group, kind }: KindReference): string =>
  `parametersRef to ${group === '' ? '' : `${group}/`}${kind} is not supported`
