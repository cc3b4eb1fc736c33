import { policiesOf, policyRows } from '../policies.ts'
import type { PolicyLevel } from '../policy-row.ts'
import { type Properties, record } from './builders.ts'

/** The fields of the policies of a level. */
export const policyFields = (level: PolicyLevel): Properties =>
  Object.fromEntries(
    policiesOf(level, 'documented').map(([name, row, cell]) => [name, cell.field ?? row.field]),
  )

/** Policies that apply before a route is selected; also among the fields of a gateway. */
export const gatewayPolicyFields: Properties = policyFields('gateway')

/** Definitions of the policies of routes and gateways. */
export const policyDefinitions: Properties = {
  RoutePolicies: record('Policies for the requests and responses of a route.', policyFields('route')),
  GatewayPolicies: record(
    'Policies for all requests of a listener, applied before a route is selected.',
    gatewayPolicyFields,
  ),
  SimpleBackendPolicies: record(
    'Policies for the requests of the gateway to the service of a policy.',
    policyFields('callout'),
  ),
}

/** Definitions of the policies of backends. */
export const backendPolicyDefinitions: Properties = {
  BackendPolicies: record('Policies for requests to a backend and its responses.', policyFields('backend')),
}

/** The definitions that the policies need. */
export const definitionsOfPolicies: Properties = Object.fromEntries(
  policyRows.flatMap(([, { definitions }]) => Object.entries(definitions ?? {})),
)
