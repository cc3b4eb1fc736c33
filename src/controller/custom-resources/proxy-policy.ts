import type { CustomResource } from '../schema/custom-resource.ts'
import { objectField } from '../schema/object-fields.ts'
import { enumField } from '../schema/scalar-fields.ts'
import { policyStatusField } from '../schema/status-fields.ts'
import { atLeastOneOf, exactlyOneOf } from '../schema/validation-rule.ts'
import { backendPolicyFields } from './backend-policies.ts'
import { frontendPolicyFields } from './frontend-policies.ts'
import { proxyPolicyRules, someFieldOf } from './proxy-policy-rules.ts'
import { proxyPolicyTargetFields } from './proxy-policy-targets.ts'
import { trafficPolicyFields } from './traffic-policies.ts'

const trafficFields = {
  phase: enumField('When the policies apply: before or after a route is known.', [
    'PostRouting',
    'PreRouting',
  ]),
  ...trafficPolicyFields,
}

const specField = objectField(
  'What the policy applies to, and what it does.',
  {
    ...proxyPolicyTargetFields,
    strategy: objectField('How the policy stands to those of inner levels.', {
      inheritance: enumField('Whether inner levels may replace it.', ['Default', 'Override']),
    }),
    frontend: objectField('Policies of connections and ports.', frontendPolicyFields, {
      rules: [someFieldOf(frontendPolicyFields)],
    }),
    traffic: objectField('Policies of requests.', trafficFields, {
      rules: [someFieldOf(trafficFields, 'phase')],
    }),
    backend: objectField('Policies of calls to backends.', backendPolicyFields, {
      rules: [someFieldOf(backendPolicyFields)],
    }),
  },
  {
    rules: [
      exactlyOneOf('targetRefs', 'targetSelectors'),
      atLeastOneOf('frontend', 'traffic', 'backend'),
      ...proxyPolicyRules({
        frontend: frontendPolicyFields,
        traffic: trafficFields,
        backend: backendPolicyFields,
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
