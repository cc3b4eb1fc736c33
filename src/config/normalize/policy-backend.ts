import type { PolicyBackend, SimpleBackendPolicies } from '../../model/policy-backend.ts'
import type * as File from '../file-types.gen.ts'
import { simpleBackendPolicies } from './backend-policies.ts'
import type { Context } from './context.ts'
import { simpleBackend } from './references.ts'

/** The service of a policy, from the fields that stand among the policy's own. */
export function policyBackend(
  source: File.BackendReference & { policies?: Pick<File.BackendPolicies, keyof SimpleBackendPolicies> },
  context: Context,
): PolicyBackend {
  return { backend: simpleBackend(source), policies: simpleBackendPolicies(source.policies, context) }
}
