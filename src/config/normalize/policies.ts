import type { SimpleBackendPolicies } from '../../model/policies/policy-backend.ts'
import type { BackendPolicies, GatewayPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import { policiesOf } from '../policies.ts'
import type { LevelCell, PolicyLevel, PolicyRow } from '../policy-row.ts'
import type * as File from '../schema/file-types.gen.ts'
import type { Context } from './context.ts'

/**
 * The policies of a route.
 *
 * @param instance The name of the resource that contains them. Changes elsewhere do not change it.
 */
export function routePolicies(
  policies: File.RoutePolicies = {},
  context: Context,
  instance: string,
): RoutePolicies {
  return normalized('route', policies, context, instance)
}

/** The policies of a gateway or listener, which are among its other fields. */
export function gatewayPolicies(policies: File.GatewayPolicies = {}, context: Context): GatewayPolicies {
  return normalized('gateway', policies, context)
}

/** The policies of a backend, named or inline. */
export function backendPolicies(policies: File.BackendPolicies = {}, context: Context): BackendPolicies {
  return normalized('backend', policies, context)
}

/** The policies of callouts to the service of a policy. */
export function calloutPolicies(
  policies: File.SimpleBackendPolicies = {},
  context: Context,
): SimpleBackendPolicies {
  return normalized('callout', policies, context)
}

/** The fields of this level that are policies, in the order of dumps. */
function normalized(level: PolicyLevel, policies: object, context: Context, instance = ''): object {
  const convert = (name: string, row: PolicyRow, cell: LevelCell): [string, unknown][] => {
    const policy = (policies as Readonly<Record<string, unknown>>)[name]
    if (policy === undefined) return []
    const normal = (cell.normalize ?? row.normalize)(policy as never, context, instance)
    context.origins?.record(context.document, policies, name, normal)
    return [[name, normal]]
  }
  return Object.fromEntries(policiesOf(level, 'printed').flatMap((entry) => convert(...entry)))
}
