import type { PolicyBackend, SimpleBackendPolicies } from '../../../model/policies/policy-backend.ts'
import { mergeBackendPolicies } from '../../../config/merge-policies.ts'
import { ownPolicies } from '../../../config/compile/own-policies.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** The policies of a callout: those of the backend that is called, and those of the policy, which win. */
export const servicePolicies = (
  { backend, policies }: PolicyBackend,
  { lookup }: CompileContext,
): SimpleBackendPolicies => mergeBackendPolicies(ownPolicies(backend, lookup), policies)

/**
 * The timeout of a callout: that of the policy, else that of the backend that is called.
 *
 * @param usualMs Where neither has one.
 */
export const callTimeoutMs = (service: PolicyBackend, context: CompileContext, usualMs: number): number =>
  servicePolicies(service, context).http?.requestTimeoutMs ?? usualMs
