import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import type { BackendPolicies } from '../../../model/resources/policies.ts'

/**
 * Has requests to Bedrock signed for its service and for the provider's region where the policy names neither. Bedrock's
 * own hosts say both in their names; private endpoints and proxies in front of it say nothing.
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
