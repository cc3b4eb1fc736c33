import { policiesOf, policyRows } from '../policies.ts'
import type { PolicyLevel } from '../policy-row.ts'
import { type Properties, record } from './builders.ts'
import { laterPolicies } from './unsupported-policies.ts'

/** The fields of the policies of a level. */
export const policyFields = (level: PolicyLevel): Properties =>
  Object.fromEntries(
    policiesOf(level, 'documented').map(([name, row, cell]) => [name, cell.field ?? row.field]),
  )

/** Policies that act before a route is known. They are among the fields of a gateway too. */
export const gatewayPolicyFields: Properties = policyFields('gateway')

/** Containers of the policies of routes, listeners and callouts. */
export const policyDefinitions: Properties = {
  RoutePolicies: record('What happens to requests and answers of a route.', policyFields('route')),
  GatewayPolicies: record(
    'What happens to all requests of a listener, before a route is known.',
    gatewayPolicyFields,
  ),
  SimpleBackendPolicies: record('How the service of a policy is called.', policyFields('callout')),
}

/** The container of the policies of backends. */
export const backendPolicyDefinitions: Properties = {
  BackendPolicies: record('What happens on the way to a backend.', {
    ...policyFields('backend'),
    ...laterPolicies('inferenceRouting'),
  }),
}

/** The definitions that the policies refer to. */
export const definitionsOfPolicies: Properties = Object.fromEntries(
  policyRows.flatMap(([, { definitions }]) => Object.entries(definitions ?? {})),
)
