import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayClass } from '../../kinds/gateway-api.ts'
import { namespacedKey } from '../../kinds/object.ts'
import type { ProxyParametersSpec } from '../../kinds/proxy-parameters.ts'

/** Parameters that a GatewayClass or a Gateway refers to. */
export interface ParametersLayer {
  readonly of: 'GatewayClass' | 'Gateway'
  /** The key of the ProxyParameters. */
  readonly key: string
  readonly spec: ProxyParametersSpec
}

/** The layers that apply to a Gateway, that of its class first; or why one of them is missing. */
export type ParametersLayers = { readonly layers: readonly ParametersLayer[] } | { readonly problem: string }

/** The parameters of a Gateway and of its class. */
export const parametersLayers = (reads: GraphReads, gateway: Gateway): ParametersLayers => {
  const { infrastructure, gatewayClassName } = gateway.spec
  const gatewayClass = reads.object('GatewayClass', gatewayClassName)
  const ofClass = gatewayClass && classLayer(reads, gatewayClass)
  if (ofClass && 'problem' in ofClass)
    return { problem: `GatewayClass ${gatewayClassName}: ${ofClass.problem}` }
  const reference = infrastructure?.parametersRef
  const own = reference && layerOf(reads, 'Gateway', { ...reference, namespace: gateway.metadata.namespace })
  if (own && 'problem' in own) return own
  return { layers: [...(ofClass ? [ofClass] : []), ...(own ? [own] : [])] }
}

/** What is wrong with the reference of a class to its parameters. */
export const classParametersError = (reads: GraphReads, gatewayClass: GatewayClass): string | undefined => {
  const layer = classLayer(reads, gatewayClass)
  return layer && 'problem' in layer ? layer.problem : undefined
}

type Layer = ParametersLayer | { readonly problem: string } | undefined

/** A class without a reference has that of the settings. */
const classLayer = (reads: GraphReads, { metadata, spec: { parametersRef } }: GatewayClass): Layer => {
  const reference = parametersRef ?? reads.settings.classParameters?.get(metadata.name)
  return reference && layerOf(reads, 'GatewayClass', reference)
}

const layerOf = (
  reads: GraphReads,
  of: ParametersLayer['of'],
  reference: {
    readonly group: string
    readonly kind: string
    readonly name: string
    readonly namespace?: string | undefined
  },
): Layer => {
  const { group, kind, name, namespace } = reference
  if (group !== 'agentgateway.dev' || kind !== 'ProxyParameters')
    return { problem: `parametersRef to ${group === '' ? '' : `${group}/`}${kind} is not supported` }
  if (namespace === undefined || namespace === '')
    return { problem: `parametersRef to ProxyParameters ${name} has no namespace` }
  const key = namespacedKey(namespace, name)
  const parameters = reads.object('ProxyParameters', key)
  if (!parameters) return { problem: `ProxyParameters ${key} not found` }
  return { of, key, spec: parameters.spec ?? {} }
}
