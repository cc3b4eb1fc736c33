import type { PolicyBackend, SimpleBackendPolicies } from '../../../model/policies/policy-backend.ts'
import { awsSigner } from '../../backend-auth/aws-sigv4.ts'
import { editHeaders } from '../../headers/header-modifier.ts'
import type { CalloutStages } from '../http-policies.ts'
import { transformRequest } from '../../transformations/request.ts'
import { upstreamCredentials } from '../../backend-auth/stage/backend-auth.ts'
import { ofAws } from '../../backend-auth/stage/cloud-credentials.ts'
import { transformationSteps } from '../../transformations/stage.ts'
import { upstreamNames } from '../../../config/compile/upstream-names.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Makes the stages of a callout that need the exchange it is about; undefined if no policy of the service needs it. */
export const calloutStages = (
  { backend }: PolicyBackend,
  policies: SimpleBackendPolicies,
  context: CompileContext,
): CalloutStages | undefined => {
  const { backendAuth, transformations, requestHeaderModifier } = policies
  if (!backendAuth && !transformations) return undefined
  const upstream = backendAuth && context.session.upstream(backend, policies)
  const names = upstream && upstreamNames(upstream)
  const request = transformations?.request
  return {
    credentials: backendAuth && names ? upstreamCredentials(backendAuth, names, context) : [],
    transform: request && transformRequest(transformationSteps(request, context.expression)),
    editHeaders: requestHeaderModifier && editHeaders(requestHeaderModifier),
    sign:
      backendAuth && 'aws' in backendAuth && names
        ? awsSigner(ofAws(backendAuth.aws, names, context))
        : undefined,
  }
}
