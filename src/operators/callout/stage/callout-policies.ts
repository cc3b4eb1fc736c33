import type { PolicyBackend, SimpleBackendPolicies } from '../../model/policy-backend.ts'
import { awsSigner } from '../../operators/auth/sign-for-aws.ts'
import { editHeaders } from '../../operators/edit-headers.ts'
import type { QuestionStages } from '../../operators/service/prepare-question.ts'
import { transformRequest } from '../../operators/transform/request.ts'
import { mergeBackendPolicies } from '../merge-policies.ts'
import { upstreamCredentials } from './backend-auth.ts'
import { ofAws } from './cloud-credentials.ts'
import { ownPolicies } from './backend.ts'
import { transformationSteps } from './transform-stages.ts'
import { upstreamNames } from './upstream-names.ts'
import type { Workshop } from './workshop.ts'

/** The policies that hold for the service of a policy: its own as a backend, and those of the policy. */
export const servicePolicies = (
  { backend, policies }: PolicyBackend,
  { resources }: Workshop,
): SimpleBackendPolicies =>
  mergeBackendPolicies(backend.kind === 'host' ? {} : ownPolicies(backend, resources), policies)

/** Makes what is done to questions for a service; undefined if nothing is that needs the exchange they are about. */
export const questionStages = (
  { backend }: PolicyBackend,
  policies: SimpleBackendPolicies,
  workshop: Workshop,
): QuestionStages | undefined => {
  const { backendAuth, transformations, requestHeaderModifier } = policies
  if (!backendAuth && !transformations) return undefined
  const upstream = backendAuth && workshop.session.upstream(backend, policies)
  const names = upstream && upstreamNames(upstream)
  const { maxBufferBytes } = workshop.resources.frontend.http
  const request = transformations?.request
  return {
    credentials: backendAuth && names ? upstreamCredentials(backendAuth, names, workshop) : [],
    transform: request && transformRequest(transformationSteps(request, workshop.expression)),
    editHeaders: requestHeaderModifier && editHeaders(requestHeaderModifier),
    sign:
      backendAuth && 'aws' in backendAuth && names
        ? awsSigner(ofAws(backendAuth.aws, names, maxBufferBytes, workshop))
        : undefined,
  }
}
