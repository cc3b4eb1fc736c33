import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { policyRows } from '../policies.ts'
import { backendPolicyDefinitions, gatewayPolicyFields, policyDefinitions } from '../schema/policies.ts'
import type { Properties } from '../schema/builders.ts'
import { targetedPolicyDefinitions } from '../schema/targeted-policy.ts'
import { checkRegexRules } from '../../operators/llm/guardrails/validate/guardrails.ts'
import type { Check, ValidationContext } from './context.ts'

/** Checks each policy by target alone: that there is one, and that a target of that kind accepts it. */
export const checkAttachedPolicies: Check = (view) => {
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    examinePolicy(view, value, pointer)
}

const supported = (fields: Properties | undefined): readonly string[] =>
  Object.entries(fields ?? {}).flatMap(([name, field]) => (field['x-status'] === undefined ? [name] : []))

const GATEWAY_POLICIES: ReadonlySet<string> = new Set(supported(gatewayPolicyFields))
const OF_BACKENDS = supported(backendPolicyDefinitions.BackendPolicies?.properties)
const ATTACHED = supported(targetedPolicyDefinitions.AttachedPolicy?.properties)
const BACKEND_POLICIES: ReadonlySet<string> = new Set(ATTACHED.filter((kind) => OF_BACKENDS.includes(kind)))
const OF_ROUTES = supported(policyDefinitions.RoutePolicies?.properties)

function examinePolicy(
  view: ValidationContext,
  { policy, phase, inheritance, target }: File.TargetedPolicy,
  pointer: string,
): void {
  const at = child(pointer, 'policy')
  const kinds = Object.keys(policy)
  if (kinds.length !== 1)
    view.problem(at, "'policies' must contain exactly 1 policy", `it has ${String(kinds.length)}`)
  const [kind] = kinds
  if (kind === undefined) return
  if (inheritance === 'override') examineOverride(view, target, kind, pointer)
  if (policy.frontend) examineFrontend(view, policy.frontend, target, child(at, 'frontend'))
  if (phase === 'gateway') {
    if (target.gateway === undefined)
      view.problem(child(pointer, 'phase'), 'phase gateway requires a gateway as target')
    if (!GATEWAY_POLICIES.has(kind)) {
      view.problem(
        child(at, kind),
        `${kind} cannot act in the gateway phase`,
        `these can: ${[...GATEWAY_POLICIES].join(', ')}`,
      )
    }
  }
  if (target.backend === undefined) {
    if (ATTACHED.includes(kind) && !OF_ROUTES.includes(kind) && kind !== 'frontend')
      view.problem(child(at, kind), `${kind} can only target a backend or a service`)
    return
  }
  if (kind === 'frontend') return
  if (!BACKEND_POLICIES.has(kind)) {
    view.problem(
      child(at, kind),
      `${kind} cannot target a backend`,
      `these can: ${[...BACKEND_POLICIES].join(', ')}`,
    )
  } else if (isConditional(policy[kind as keyof File.AttachedPolicy])) {
    view.problem(child(at, kind), `conditional ${kind} cannot target a backend`)
  }
}

function isConditional(policy: unknown): boolean {
  return typeof policy === 'object' && policy !== null && 'conditional' in policy
}

/** Policies of backends replace those of their routes, whatever the routes say. */
const OF_CALLS: ReadonlySet<string> = new Set(
  policyRows.flatMap(([name, { handedTo }]) => (handedTo?.includes('backends') ? [name] : [])),
)

function examineOverride(
  view: ValidationContext,
  target: File.PolicyTarget,
  kind: string,
  pointer: string,
): void {
  const at = child(pointer, 'inheritance')
  if (target.backend !== undefined)
    view.problem(at, 'inheritance override requires a gateway, a listener set or a route as target')
  else if (kind === 'frontend') view.problem(at, 'inheritance override is not for frontend policies')
  else if (OF_CALLS.has(kind))
    view.problem(at, `inheritance override is not for ${kind}: that of a backend takes precedence`)
}

const OF_LISTENERS: ReadonlySet<string> = new Set(['accessLog', 'tracing', 'metrics'])

function examineFrontend(
  view: ValidationContext,
  frontend: File.AttachedFrontend,
  { gateway }: File.PolicyTarget,
  pointer: string,
): void {
  if (gateway === undefined) {
    view.problem(pointer, 'frontend policies can only target a gateway, a port or a listener of it')
    return
  }
  const ofConnections = Object.keys(frontend).filter((kind) => !OF_LISTENERS.has(kind))
  if (gateway.listenerName !== undefined)
    for (const kind of ofConnections)
      view.problem(
        child(pointer, kind),
        `${kind} cannot target a listener: it acts on connections, before the listener is known`,
        `target the gateway or a port; these can: ${[...OF_LISTENERS].join(', ')}`,
      )
  const { payloads } = frontend.accessLog ?? {}
  checkRegexRules(view, payloads?.mask, child(child(child(pointer, 'accessLog'), 'payloads'), 'mask'))
  if (frontend.http?.path !== undefined)
    view.problem(
      child(child(pointer, 'http'), 'path'),
      'can be set in frontendPolicies only: the routes of all ports are matched by it',
    )
}
