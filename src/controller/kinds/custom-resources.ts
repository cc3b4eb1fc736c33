/**
 * Kinds of our own. Their schemas are in `controller/custom-resources`; sections are read by the forms of policies.
 *
 * @module
 */
import type { ParentReference } from './http-route.ts'
import type { KubernetesObject } from './object.ts'

/** `agentgateway.dev/v1alpha1.ProxyPolicy`. */
export interface ProxyPolicy extends KubernetesObject {
  readonly spec: {
    readonly targetRefs?: readonly (PolicyTargetKind & { readonly name: string })[]
    readonly targetSelectors?: readonly (PolicyTargetKind & {
      readonly matchLabels: Readonly<Record<string, string>>
    })[]
    readonly strategy?: { readonly inheritance?: 'Default' | 'Override' }
    readonly frontend?: PolicyFields
    readonly traffic?: PolicyFields & { readonly phase?: 'PreRouting' | 'PostRouting' }
    readonly backend?: PolicyFields
  }
}

/** What a target of a policy has, however it is selected. */
export interface PolicyTargetKind {
  readonly group: string
  readonly kind: string
  readonly sectionName?: string
  readonly port?: number
}

/** Policies by the names of their fields. */
export type PolicyFields = Readonly<Record<string, unknown>>

/** `agentgateway.dev/v1alpha1.ProxyBackend`. */
export interface ProxyBackend extends KubernetesObject {
  /** One of the kinds, by the name of its field, and the policies. */
  readonly spec: PolicyFields & { readonly policies?: PolicyFields }
}

/** `agentgateway.dev/v1alpha1.ProxyModel`. */
export interface ProxyModel extends KubernetesObject {
  /** Fields of a provider, or `virtualModel`, beside those of every model. */
  readonly spec: PolicyFields & {
    readonly parentRefs?: readonly ParentReference[]
    readonly match?: { readonly model?: string }
    readonly visibility?: 'Internal' | 'Public'
    readonly policies?: PolicyFields
  }
}
