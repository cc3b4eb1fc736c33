import type { BackendPolicies, SimpleBackend } from '../resources/policies.ts'

/** Backend policies that apply to callouts. */
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

/** The service of a policy: authorization, rate limits, tokens. */
export interface PolicyBackend {
  readonly backend: SimpleBackend
  readonly policies: SimpleBackendPolicies
}
