import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { Overlay, Overlays, WorkloadKind } from '../../kinds/proxy-parameters.ts'
import { isGatewayLabel } from '../deployment/gateway-metadata.ts'
import type { JsonMap } from '../strategic-merge/directives.ts'
import type { MergeType } from '../strategic-merge/merge-table.gen.ts'
import { strategicMerge } from '../strategic-merge/strategic-merge.ts'
import type { ParametersLayer } from './parameters-layers.ts'

/** Objects with their overlays, or what is wrong with one of these. */
export type OverlaidObjects = { readonly objects: readonly KubernetesObject[] } | { readonly problem: string }

/** The objects that overlays are for. */
const overlayKinds = {
  deployment: 'Deployment',
  daemonSet: 'DaemonSet',
  service: 'Service',
  serviceAccount: 'ServiceAccount',
  podDisruptionBudget: 'PodDisruptionBudget',
  horizontalPodAutoscaler: 'HorizontalPodAutoscaler',
} as const satisfies Readonly<Record<keyof Overlays, MergeType>>

/** The names of the overlays. */
export const overlayNames = Object.keys(overlayKinds) as readonly (keyof Overlays)[]

/** What overlays cannot be for pods of a kind. */
const incompatible: Readonly<Record<WorkloadKind, readonly (keyof Overlays)[]>> = {
  Deployment: ['daemonSet'],
  DaemonSet: ['deployment', 'horizontalPodAutoscaler'],
}

/** Whether any layer has an overlay of a name. */
export const hasOverlay = (layers: readonly ParametersLayer[], name: keyof Overlays): boolean =>
  layers.some(({ spec }) => spec[name] !== undefined)

/** Why the overlays of the layers do not fit the kind of workload that all layers result in. */
export const overlayProblem = (
  layers: readonly ParametersLayer[],
  kind: WorkloadKind,
): string | undefined => {
  for (const layer of layers)
    for (const name of incompatible[kind])
      if (layer.spec[name] !== undefined)
        return `${layerText(layer)} has incompatible ${name} overlay for final workload kind ${kind}`
  return undefined
}

/**
 * Applies the overlays of each layer, in their order. Beside an autoscaler, a Deployment has no number of replicas: it
 * would be set back each time that the autoscaler has changed it.
 */
export const applyOverlays = (
  objects: readonly KubernetesObject[],
  layers: readonly ParametersLayer[],
): OverlaidObjects => {
  let overlaid = objects
  for (const layer of layers)
    for (const name of overlayNames) {
      const overlay = layer.spec[name]
      if (overlay === undefined) continue
      const patched = overlaid.map((object) =>
        object.kind === overlayKinds[name] ? overlaidObject(object, overlayKinds[name], overlay) : { object },
      )
      const problem = patched.find((one) => 'problem' in one)?.problem
      if (problem !== undefined) return { problem: `${layerText(layer)}: ${name} overlay: ${problem}` }
      overlaid = patched.flatMap((one) => ('object' in one ? [one.object] : []))
    }
  return { objects: hasOverlay(layers, 'horizontalPodAutoscaler') ? overlaid.map(withoutReplicas) : overlaid }
}

const withoutReplicas = (object: KubernetesObject): KubernetesObject => {
  if (object.kind !== 'Deployment' || !('spec' in object)) return object
  const { replicas: _replicas, ...spec } = jsonObjectOr(object.spec)
  return { ...object, spec } as KubernetesObject
}

/** A layer in messages. */
export const layerText = ({ of, key }: ParametersLayer): string => `referenced ${of} ProxyParameters ${key}`

const overlaidObject = (
  object: KubernetesObject,
  type: MergeType,
  { metadata, spec }: Overlay,
): { readonly object: KubernetesObject } | { readonly problem: string } => {
  if (spec !== undefined && !('spec' in object)) return { problem: `a ${type} has no spec` }
  const merged =
    spec === undefined
      ? { value: object as unknown as JsonMap }
      : strategicMerge(type, object as unknown as JsonMap, { spec })
  if ('problem' in merged) return merged
  return {
    object: {
      ...(merged.value as unknown as KubernetesObject),
      metadata: {
        ...object.metadata,
        ...mergedTexts('labels', object.metadata.labels, metadata?.labels),
        ...mergedTexts('annotations', object.metadata.annotations, metadata?.annotations),
      },
    },
  }
}

type Texts = Readonly<Record<string, string>>

/** By some labels the control plane finds its objects again: they stay. */
const mergedTexts = (
  field: 'labels' | 'annotations',
  base: Texts = {},
  more: Texts = {},
): Readonly<Partial<Record<typeof field, Texts>>> => {
  const kept = Object.entries(more).filter(([name]) => !isGatewayLabel(name))
  const merged = { ...base, ...Object.fromEntries(kept) }
  return Object.keys(merged).length > 0 ? { [field]: merged } : {}
}
