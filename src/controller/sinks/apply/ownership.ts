import { GATEWAY_NAME_LABEL, type KubernetesObject } from '../../kinds/object.ts'

/** The `uid` of the object that controls an object, if any. */
export const controllerOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid

/**
 * Why a live object may not be changed into the one that is wanted; undefined if it may. It may if both have the same
 * controller, or if nothing controls it and its labels say that it was made for the same Gateway: so it looks after a
 * restore from a backup. An object that is to have no controller may always be changed.
 */
export const ownershipProblem = (live: KubernetesObject, wanted: KubernetesObject): string | undefined => {
  const controller = controllerOf(wanted)
  const liveController = controllerOf(live)
  if (controller === undefined || liveController === controller) return undefined
  const named = `${wanted.kind} ${wanted.metadata.name}`
  if (liveController !== undefined) return `${named} exists and belongs to another object`
  return IDENTITY_LABELS.every((label) => {
    const value = wanted.metadata.labels?.[label]
    return value !== undefined && live.metadata.labels?.[label] === value
  })
    ? undefined
    : `${named} exists and does not belong to the Gateway`
}

const IDENTITY_LABELS = ['app.kubernetes.io/managed-by', GATEWAY_NAME_LABEL]
