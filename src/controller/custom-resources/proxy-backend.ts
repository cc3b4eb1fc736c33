import type { CustomResource } from '../schema/custom-resource.ts'
import type { SchemaFields } from '../schema/field.ts'
import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { conditionStatusField } from '../schema/status-fields.ts'
import { exactlyOneOf, validationRule } from '../schema/validation-rule.ts'
import { backendKinds } from './backend-kinds.ts'
import { backendForms } from './backend-policies.ts'
import { someFieldOf } from './proxy-policy-rules.ts'

const policyFields = fieldsOfForms(backendForms)

const kindFields: SchemaFields = Object.fromEntries(
  Object.entries(backendKinds).map(([name, { field }]) => [name, field]),
)

/** ProxyBackend: what routes and policies refer to where a Service is not enough. */
export const proxyBackendResource: CustomResource = {
  kind: 'ProxyBackend',
  plural: 'proxybackends',
  shortName: 'pbe',
  description: 'A backend that is no Service.',
  spec: objectField(
    'What the backend is.',
    {
      ...kindFields,
      policies: objectField('Policies of calls to it.', policyFields, {
        rules: [someFieldOf(policyFields)],
      }),
    },
    {
      rules: [
        exactlyOneOf(...Object.keys(kindFields).sort()),
        validationRule(
          'policies.mcp can only be set with mcp',
          '!has(self.policies) || !has(self.policies.mcp) || has(self.mcp)',
        ),
        validationRule(
          'policies.ai can only be set with ai',
          '!has(self.policies) || !has(self.policies.ai) || has(self.ai)',
        ),
      ],
    },
  ),
  status: conditionStatusField,
  columns: [
    {
      name: 'Accepted',
      jsonPath: ".status.conditions[?(@.type=='Accepted')].status",
      description: 'Condition Accepted.',
    },
  ],
  isDirectPolicy: false,
}
