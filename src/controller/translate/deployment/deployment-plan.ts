import type { KubernetesObject } from '../../kinds/object.ts'

/** What must be applied for a Gateway, or why nothing can be. */
export type DeploymentPlan =
  | {
      readonly objects: readonly KubernetesObject[]
      /** Objects of these kinds that the Gateway controls and that are not in the list are deleted. */
      readonly prune: PrunedObjects
    }
  /** Pods read the key, which is made once and kept: the Secret must exist before the rest is applied. */
  | { readonly missingSessionKey: KubernetesObject }
  | { readonly failure: { readonly reason: 'InvalidParameters'; readonly message: string } }

/** Objects that were deployed for a Gateway before. */
export interface PrunedObjects {
  readonly namespace: string
  readonly labelSelector: string
  /** The `uid` of the Gateway. */
  readonly controllerUid: string
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[]
}
