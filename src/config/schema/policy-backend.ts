import { exactlyOne, type Properties, ref, type SchemaNode } from './builders.ts'
import { simpleReference } from './references.ts'

/** The address of the service of a policy, and the policies of its callouts: fields among the policy's own. */
export const policyBackendFields: Properties = {
  ...simpleReference,
  policies: ref('SimpleBackendPolicies', 'How the service is called.'),
}

/** Requires exactly one address of the service. */
export const onePolicyBackend: SchemaNode = exactlyOne(...Object.keys(simpleReference))
