import type { GraphReads } from '../../graph/query.ts'
import { parse } from 'yaml'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { mergeParameters, type MergedParameters } from './merge-parameters.ts'
import { parametersLayers } from './parameters-layers.ts'

/** The mesh that the proxies of a Gateway are a part of. */
export interface Mesh {
  readonly caAddress: string
  readonly trustDomain: string
  readonly additionalTrustDomains: readonly string[]
  readonly clusterId: string | undefined
  readonly network: string | undefined
}

/** The mesh of a Gateway, if it takes part in one. */
export const gatewayMesh = (reads: GraphReads, gateway: Gateway): Mesh | undefined => {
  const found = parametersLayers(reads, gateway)
  return 'layers' in found ? meshOf(reads, gateway, mergeParameters(found.layers)) : undefined
}

/**
 * What the merged parameters of a Gateway make of the mesh. A block `istio` opts in unless it says otherwise; without
 * one, Gateways of the class of the control plane follow its setting. Values of parameters come before settings.
 */
export const meshOf = (
  reads: GraphReads,
  gateway: Gateway,
  { istio }: MergedParameters,
): Mesh | undefined => {
  const { mesh, gatewayClassName } = reads.settings
  const isAutomatic = mesh?.isAutomatic === true && gateway.spec.gatewayClassName === gatewayClassName
  if (!(istio ? (istio.enabled ?? true) : isAutomatic)) return undefined
  return {
    caAddress: istio?.caAddress ?? mesh?.caAddress ?? 'https://istiod.istio-system.svc:15012',
    trustDomain: istio?.trustDomain ?? configuredTrustDomain(reads) ?? 'cluster.local',
    additionalTrustDomains: istio?.additionalTrustDomains ?? [],
    clusterId: istio?.clusterId ?? mesh?.clusterId,
    network: istio?.network ?? mesh?.network,
  }
}

/** The trust domain of the configuration of the mesh. */
const configuredTrustDomain = (reads: GraphReads): string | undefined => {
  const { namespace = 'istio-system', revision = 'default' } = reads.settings.mesh ?? {}
  const name = revision === 'default' ? 'istio' : `istio-${revision}`
  const text = reads.object('ConfigMap', namespacedKey(namespace, name))?.data?.mesh
  if (text === undefined) return undefined
  const domain = attempt(() => (parse(text) as { readonly trustDomain?: unknown } | null)?.trustDomain).value
  return typeof domain === 'string' && domain !== '' ? domain : undefined
}
