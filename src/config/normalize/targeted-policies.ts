import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { PolicyTarget } from '../../model/resources/policy-target.ts'
import type { TargetedPolicy } from '../../model/resources/resources.ts'
import { attachedFrontend } from '../../streams/http/frontend/normalize/frontend.ts'
import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { type Context, originOf } from './context.ts'
import { resourcePrecedence } from '../../operators/route/normalize/precedence.ts'
import { definedFields, given } from './optional-fields.ts'
import { backendPolicies, routePolicies } from './policies.ts'
import { namedBackendKey } from './references.ts'

/** The section `policies`. */
export function targetedPolicies(file: File.ConfigFile, context: Context): readonly TargetedPolicy[] {
  return (file.policies ?? []).map(({ name, target, phase, inheritance, precedence, policy }, index) =>
    definedFields<TargetedPolicy>({
      name: name.name,
      namespace: name.namespace ?? 'default',
      target: policyTarget(target),
      phase: policy.frontend ? 'frontend' : (phase ?? 'route'),
      inheritance: inheritance === 'override' ? inheritance : undefined,
      precedence: given(precedence, resourcePrecedence),
      policy: {
        ...routePolicies(policy, context, `policy ${name.namespace ?? 'default'}/${name.name}`),
        ...upstreamPolicies(policy, context),
      },
      frontend: given(policy.frontend, (source) => attachedFrontend(source, context)),
      origin: originOf(context, child('/policies', index)),
    }),
  )
}

/** Those that routes do not have. */
const upstreamPolicies = (
  { http, tcp, inferenceRouting }: File.AttachedPolicy,
  context: Context,
): BackendPolicies =>
  backendPolicies(
    { ...(http && { http }), ...(tcp && { tcp }), ...(inferenceRouting && { inferenceRouting }) },
    context,
  )

function policyTarget({ gateway, route, backend, listenerSet }: File.PolicyTarget): PolicyTarget {
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
      routeKind: route.kind,
    })
  }
  if (listenerSet !== undefined) {
    return definedFields<Extract<PolicyTarget, { kind: 'listenerSet' }>>({
      kind: 'listenerSet',
      name: listenerSet.name,
      namespace: listenerSet.namespace ?? 'default',
      listener: listenerSet.listenerName,
    })
  }
  const service = backend?.service
  if (service !== undefined)
    return definedFields<Extract<PolicyTarget, { kind: 'service' }>>({
      kind: 'service',
      name: `${service.namespace ?? 'default'}/${service.hostname}`,
      port: service.port,
    })
  return definedFields<Extract<PolicyTarget, { kind: 'backend' }>>({
    kind: 'backend',
    key: namedBackendKey(backend?.backend?.name ?? ''),
    section: backend?.backend?.section,
  })
}
