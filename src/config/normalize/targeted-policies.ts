import type { PolicyTarget, TargetedPolicy } from '../../model/resources/resources.ts'
import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { type Context, originOf } from './context.ts'
import { definedFields } from './optional-fields.ts'
import { routePolicies } from './policies.ts'
import { namedBackendKey } from './references.ts'

/** The section `policies`. */
export function targetedPolicies(file: File.ConfigFile, context: Context): readonly TargetedPolicy[] {
  return (file.policies ?? []).map(({ name, target, phase, policy }, index) => ({
    name: name.name,
    namespace: name.namespace ?? 'default',
    target: policyTarget(target),
    phase: phase ?? 'route',
    policy: routePolicies(policy, context, `policy ${name.namespace ?? 'default'}/${name.name}`),
    origin: originOf(context, child('/policies', index)),
  }))
}

function policyTarget({ gateway, route, backend }: File.PolicyTarget): PolicyTarget {
  if (gateway !== undefined) {
    return definedFields<Extract<PolicyTarget, { kind: 'gateway' }>>({
      kind: 'gateway',
      name: gateway.gatewayName,
      namespace: gateway.gatewayNamespace ?? 'default',
      listener: gateway.listenerName,
      port: gateway.port,
    })
  }
  if (route !== undefined) {
    return definedFields<Extract<PolicyTarget, { kind: 'route' }>>({
      kind: 'route',
      name: route.name,
      namespace: route.namespace ?? 'default',
      ruleName: route.ruleName,
    })
  }
  const service = backend?.service
  if (service !== undefined)
    return { kind: 'service', name: `${service.namespace ?? 'default'}/${service.hostname}` }
  return { kind: 'backend', key: namedBackendKey(backend?.backend?.name ?? '') }
}
