import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import type { BackendParts } from '../../schema/backend-form.ts'
import { refuseConnections, refuseRequests } from '../../schema/policy-form.ts'
import type { PolicyCheck, TranslatedForm } from '../policy/translate-forms.ts'
import { checkByProxy } from '../proxy-check.ts'

/** The check of policies inside a backend of this kind. */
export const inlineCheck =
  (kind: Omit<BackendParts, 'policies'>): PolicyCheck =>
  (policy) =>
    checkByProxy(
      xdsResource('backend', '', { name: 'backend', ...kind, policies: policy as File.BackendPolicies }),
    )

/**
 * The policies of forms in one. What stands in for one that cannot be used comes last, and refuses all requests: MCP
 * servers and providers have connections of their own.
 */
export const inlinePolicies = (forms: readonly TranslatedForm[]): File.BackendPolicies => {
  const usable = forms.filter(({ isBroken }) => !isBroken)
  const broken = forms.filter(({ isBroken, policy }) => isBroken && Object.keys(policy).length > 0)
  const policies = [...usable, ...broken].map(({ policy }) => policy)
  if (broken.length > 0) policies.push(refuseRequests())
  return Object.assign({}, ...policies) as File.BackendPolicies
}

/** The policies of a backend that must not be used. */
export const refusing = (message: string): File.BackendPolicies =>
  ({ ...refuseConnections(message), ...refuseRequests() }) as File.BackendPolicies
