import type { KubernetesObject } from '../../kinds/object.ts'

/** What must be applied for a Gateway, or why nothing can be. */
export type DeploymentPlan =
  | { readonly objects: readonly KubernetesObject[] }
  /** Pods read the key, which is made once and kept: the Secret must exist before the rest is applied. */
  | { readonly missingSessionKey: KubernetesObject }
  | { readonly failure: { readonly reason: 'InvalidParameters'; readonly message: string } }
