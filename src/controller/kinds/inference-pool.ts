import type { KubernetesObject } from './object.ts'

/** `inference.networking.k8s.io/v1.InferencePool`. */
export interface InferencePool extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> }
    /** Each of them is an endpoint of its own on each pod. */
    readonly targetPorts: readonly { readonly number: number }[]
    readonly endpointPickerRef: {
      readonly group?: string
      readonly kind?: string
      readonly name: string
      readonly port?: { readonly number: number }
      readonly failureMode?: 'FailOpen' | 'FailClose'
    }
  }
}
