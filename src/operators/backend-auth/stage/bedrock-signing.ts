import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../../../model/resources/policies.ts'

/**
 * Signs requests to Bedrock for its service and for the provider's region if the policy names neither. Bedrock's own
 * host names contain both; those of private endpoints and proxies do not.
 */
export const signedForBedrock = (
  { kind, settings }: Pick<LlmProvider, 'kind' | 'settings'>,
  policies: BackendPolicies,
): BackendPolicies => {
  const { backendAuth } = policies
  if (kind !== 'bedrock' || backendAuth === undefined || !('aws' in backendAuth)) return policies
  const { region } = settings
  const aws = { serviceName: 'bedrock', ...(region !== undefined && { region }), ...backendAuth.aws }
  return { ...policies, backendAuth: { ...backendAuth, aws } }
}
