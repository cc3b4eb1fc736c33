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

/** The policies of a policy's service: its own as a backend, and those of the reference. */
export const servicePolicies = (
  { backend, policies }: PolicyBackend,
  { resources }: CompileContext,
): SimpleBackendPolicies =>
  mergeBackendPolicies(backend.kind === 'host' ? {} : ownPolicies(backend, resources), policies)

/**
 * The timeout of a policy's service: that of the reference, else that of the backend.
 *
 * @param usualMs The default.
 */
export const callTimeoutMs = (service: PolicyBackend, context: CompileContext, usualMs: number): number =>
  servicePolicies(service, context).http?.requestTimeoutMs ?? usualMs

/** Compiles the policies of a service; undefined if none needs the original exchange. */
export const calloutStages = (
  { backend }: PolicyBackend,
  policies: SimpleBackendPolicies,
  context: CompileContext,
): CalloutStages | undefined => {
  const { backendAuth, transformations, requestHeaderModifier } = policies
  if (!backendAuth && !transformations) return undefined
  const upstream = backendAuth && context.session.upstream(backend, policies)
  const names = upstream && upstreamNames(upstream)
  const { maxBufferBytes } = context.resources.frontend.http
  const request = transformations?.request
  return {
    credentials: backendAuth && names ? upstreamCredentials(backendAuth, names, context) : [],
    transform: request && transformRequest(transformationSteps(request, context.expression)),
    editHeaders: requestHeaderModifier && editHeaders(requestHeaderModifier),
    sign:
      backendAuth && 'aws' in backendAuth && names
        ? awsSigner(ofAws(backendAuth.aws, names, maxBufferBytes, context))
        : undefined,
  }
}
