import type * as File from '../schema/file-types.gen.ts'
import { httpVersion } from '../format/http-version.ts'
import { child } from '../document/json-pointer.ts'
import { checkCalloutBackend } from './callout-backend.ts'
import { checkBackendAuthPolicy } from '../../operators/backend-auth/validate/backend-auth.ts'
import { policyRows } from '../policies.ts'
import { unheededByGrpc } from './grpc-unsupported-policies.ts'
import { checkProcessors } from '../../operators/mcp/guardrails/validate.ts'
import { allListeners, httpRoutes } from './route-locations.ts'
import type { Check, ValidationContext } from './context.ts'

/**
 * Checks the service of a policy: that it exists and can be called, and that credentials can be read.
 *
 * @param pointer of the reference
 * @param policiesPointer of the policies for requests to it
 * @returns the named backend, if the reference is to one
 */
export function checkCallout(
  view: ValidationContext,
  reference: File.BackendReference,
  policies: File.SimpleBackendPolicies | undefined,
  pointer: string,
  policiesPointer: string,
): File.NamedBackend | undefined {
  const named = checkCalloutBackend(view, reference, pointer, OBSERVED, 'where a policy asks it')
  if (policies?.backendAuth !== undefined)
    checkBackendAuthPolicy(view, policies.backendAuth, child(policiesPointer, 'backendAuth'))
  return named
}

/** Policies that make callouts. */
type Policies = File.GatewayPolicies | File.RoutePolicies | File.BackendPolicies

/** A policy that calls a service. */
type Calling = File.BackendReference & {
  readonly policies?: File.SimpleBackendPolicies
  readonly protocol?: { readonly http?: object }
}

type Called = Calling | { readonly conditional: readonly Calling[] }

const CALLING = policyRows.flatMap(([name, { callsService }]) => (callsService ? [name] : []))

/** Policies of a named backend that apply to callouts too. */
const OBSERVED: ReadonlySet<string> = new Set(
  policyRows.flatMap(([name, { callout }]) => (callout ? [name] : [])),
)

/** Checks the services of policies: that they exist and support the configured protocol. */
export const checkPolicyBackends: Check = (view) => {
  for (const { policies, policiesPointer } of allListeners(view)) examineAll(view, policies, policiesPointer)
  for (const { value, pointer } of httpRoutes(view)) {
    examineAll(view, value.policies, child(pointer, 'policies'))
    for (const backend of view.items(value.backends, child(pointer, 'backends')))
      examineAll(view, backend.value.policies, child(backend.pointer, 'policies'))
  }
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    examineAll(view, value.policies, child(pointer, 'policies'))
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    examineAll(view, value.policy, child(pointer, 'policy'))
}

function examineAll(view: ValidationContext, policies: Policies | undefined, pointer: string): void {
  if (policies === undefined) return
  if ('mcpGuardrails' in policies) {
    const at = child(pointer, 'mcpGuardrails')
    checkProcessors(view, policies.mcpGuardrails, at)
    for (const { value, pointer: processor } of view.items(
      policies.mcpGuardrails.processors,
      child(at, 'processors'),
    ))
      examineService(view, value, processor)
  }
  if ('inferenceRouting' in policies)
    examineService(
      view,
      policies.inferenceRouting.endpointPicker,
      child(child(pointer, 'inferenceRouting'), 'endpointPicker'),
    )
  for (const name of CALLING) {
    const policy = (policies as Readonly<Record<string, Called | undefined>>)[name]
    if (policy === undefined) continue
    const at = child(pointer, name)
    if (!('conditional' in policy)) {
      examineService(view, policy, at)
      continue
    }
    for (const entry of view.items(policy.conditional, child(at, 'conditional')))
      examineService(view, entry.value, entry.pointer)
  }
}

/** Checks the service of one policy. */
export function examineService(view: ValidationContext, policy: Calling, pointer: string): void {
  const named = checkCallout(view, policy, policy.policies, pointer, child(pointer, 'policies'))
  const at = child(pointer, 'policies')
  if (policy.protocol?.http !== undefined) return
  for (const { pointer: where, why } of unheededByGrpc(policy.policies ?? {}, at)) view.problem(where, why)
  for (const { pointer: where, why } of unheededByGrpc(named?.policies ?? {}, ''))
    view.wrongValue(child(pointer, 'backend'), `has ${dotted(where)}, which ${why}`)
  const version = policy.policies?.http?.version
  if (version !== undefined && httpVersion(version) === '1.1')
    view.wrongValue(
      ['policies', 'http', 'version'].reduce((path, name) => child(path, name), pointer),
      'must be 2: gRPC has no other version',
    )
}

function dotted(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.')
}
