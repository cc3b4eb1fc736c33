import type { BackendPolicies, SimpleBackend } from '../resources/policies.ts'

/** How a policy's own service is reached. */
export type SimpleBackendPolicies = Pick<
  BackendPolicies,
  | 'requestHeaderModifier'
  | 'transformations'
  | 'backendTLS'
  | 'backendAuth'
  | 'backendTunnel'
  | 'http'
  | 'tcp'
>

/** The service that a policy needs: who decides, who counts, who gives tokens. */
export interface PolicyBackend {
  readonly backend: SimpleBackend
  readonly policies: SimpleBackendPolicies
}
