import type { GatewayClass } from '../../kinds/gateway-api.ts'
import type { TranslationSettings } from '../../kinds/inputs.ts'

/** The class that the control plane creates. */
export const ownGatewayClass = ({
  gatewayClassName,
  controllerName,
  classParameters,
}: TranslationSettings): GatewayClass => {
  const parametersRef = classParameters?.get(gatewayClassName)
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: gatewayClassName },
    spec: {
      controllerName,
      description: 'Specialized class for agentgateway.',
      ...(parametersRef && { parametersRef }),
    },
  }
}
