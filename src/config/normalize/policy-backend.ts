import type { PolicyBackend, SimpleBackendPolicies } from '../../model/policies/policy-backend.ts'
import type * as File from '../schema/file-types.gen.ts'
import type { Context } from './context.ts'
import { simpleBackend, tlsOfHost } from './references.ts'

/** The service of a policy, from fields among those of the policy. */
export function policyBackend(
  source: File.BackendReference & { policies?: Pick<File.BackendPolicies, keyof SimpleBackendPolicies> },
  context: Context,
): PolicyBackend {
  return {
    backend: simpleBackend(source),
    policies: { ...tlsOfHost(source.host), ...context.calloutPolicies(source.policies) },
  }
}
