import type { CustomResource } from '../schema/custom-resource.ts'
import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { enumField } from '../schema/scalar-fields.ts'
import { policyStatusField } from '../schema/status-fields.ts'
import { atLeastOneOf, exactlyOneOf } from '../schema/validation-rule.ts'
import { backendForms } from './backend-policies.ts'
import { frontendForms } from './frontend-policies.ts'
import { proxyPolicyRules, someFieldOf } from './proxy-policy-rules.ts'
import { proxyPolicyTargetFields } from './proxy-policy-targets.ts'
import { trafficForms } from './traffic-policies.ts'

const trafficFields = {
  phase: enumField('When the policies apply: before or after a route is known.', [
    'PostRouting',
    'PreRouting',
  ]),
  ...fieldsOfForms(trafficForms),
}
const frontendFields = fieldsOfForms(frontendForms)
const backendFields = fieldsOfForms(backendForms)

const specField = objectField(
  'What the policy applies to, and what it does.',
  {
    ...proxyPolicyTargetFields,
    strategy: objectField('How the policy stands to those of inner levels.', {
      inheritance: enumField('Whether inner levels may replace it.', ['Default', 'Override']),
    }),
    frontend: objectField('Policies of connections and ports.', frontendFields, {
      rules: [someFieldOf(frontendFields)],
    }),
    traffic: objectField('Policies of requests.', trafficFields, {
      rules: [someFieldOf(trafficFields, 'phase')],
    }),
    backend: objectField('Policies of calls to backends.', backendFields, {
      rules: [someFieldOf(backendFields)],
    }),
  },
  {
    rules: [
      exactlyOneOf('targetRefs', 'targetSelectors'),
      atLeastOneOf('frontend', 'traffic', 'backend'),
      ...proxyPolicyRules({
        frontend: frontendFields,
        traffic: trafficFields,
        backend: backendFields,
      }),
    ],
  },
)

/** ProxyPolicy: policies of gateways, routes and backends. */
export const proxyPolicyResource: CustomResource = {
  kind: 'ProxyPolicy',
  plural: 'proxypolicies',
  shortName: 'ppol',
  description: 'Policies of Gateways, routes and backends.',
  spec: specField,
  status: policyStatusField,
  columns: ['Accepted', 'Attached'].map((type) => ({
    name: type,
    jsonPath: `.status.ancestors[*].conditions[?(@.type=='${type}')].status`,
    description: `Condition ${type} at each Gateway.`,
  })),
  isDirectPolicy: true,
}
