import { exactlyOne, type Properties, ref, type SchemaNode } from './builders.ts'
import { simpleReference } from './references.ts'

/** The fields that address the service of a policy, among the policy's own. */
export const policyBackendFields: Properties = {
  ...simpleReference,
  policies: ref('SimpleBackendPolicies', 'Policies for requests to the service.'),
}

/** Requires exactly one address of the service. */
export const onePolicyBackend: SchemaNode = exactlyOne(...Object.keys(simpleReference))
