import type { PolicyBackend, SimpleBackendPolicies } from '../../../model/policies/policy-backend.ts'
import { awsSigner } from '../../backend-auth/aws-sigv4.ts'
import { editHeaders } from '../../headers/header-modifier.ts'
import type { CalloutStages } from '../http-policies.ts'
import { transformRequest } from '../../transformations/request.ts'
import { mergeBackendPolicies } from '../../../config/merge-policies.ts'
import { upstreamCredentials } from '../../backend-auth/stage/backend-auth.ts'
import { ofAws } from '../../backend-auth/stage/cloud-credentials.ts'
import { ownPolicies } from '../../../config/compile/own-policies.ts'
import { transformationSteps } from '../../transformations/stage.ts'
import { upstreamNames } from '../../../config/compile/upstream-names.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** The policies that hold for the service of a policy: its own as a backend, and those of the policy. */
export const servicePolicies = (
  { backend, policies }: PolicyBackend,
  { resources }: CompileContext,
): SimpleBackendPolicies =>
  mergeBackendPolicies(backend.kind === 'host' ? {} : ownPolicies(backend, resources), policies)

/**
 * How long the service of a policy may take: what the policy says of it, else what is said of the backend it names.
 *
 * @param usualMs Where neither says anything.
 */
export const callTimeoutMs = (service: PolicyBackend, context: CompileContext, usualMs: number): number =>
  servicePolicies(service, context).http?.requestTimeoutMs ?? usualMs

/** Makes what is done to questions for a service; undefined if nothing is that needs the exchange they are about. */
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
