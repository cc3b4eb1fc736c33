import { policiesOf, policyRows } from '../policies.ts'
import type { PolicyLevel } from '../policy-row.ts'
import { type Properties, record } from './builders.ts'
import { laterPolicies } from './unsupported-policies.ts'

const fieldsOf = (level: PolicyLevel): Properties =>
  Object.fromEntries(
    policiesOf(level, 'documented').map(([name, row, cell]) => [name, cell.field ?? row.field]),
  )

/** Policies that act before a route is known; also written beside the fields of a gateway. */
export const gatewayPolicyFields: Properties = fieldsOf('gateway')

/** Containers of policies that act on requests. */
export const policyDefinitions: Properties = {
  RoutePolicies: record('What happens to requests and answers of a route.', fieldsOf('route')),
  GatewayPolicies: record(
    'What happens to all requests of a listener, before a route is known.',
    gatewayPolicyFields,
  ),
}

/** The container of policies that act on the way to a backend. */
export const backendPolicyDefinitions: Properties = {
  BackendPolicies: record('What happens on the way to a backend.', {
    ...fieldsOf('backend'),
    ...laterPolicies('inferenceRouting'),
  }),
}

/** The definitions that the policies bring along. */
export const definitionsOfPolicies: Properties = Object.fromEntries(
  policyRows.flatMap(([, { definitions }]) => Object.entries(definitions ?? {})),
)
