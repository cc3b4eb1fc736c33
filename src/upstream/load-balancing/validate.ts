import type * as File from '../../config/schema/file-types.gen.ts'
import { parseDuration } from '../../config/format/duration.ts'
import { child } from '../../config/document/json-pointer.ts'
import { policyContainers } from '../../config/validate/policy-locations.ts'
import { httpRoutes } from '../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'

/** More frequent checks yield no more information, and are load. */
const LEAST_INTERVAL_MS = 100

/** Checks policies of load balancing and health: their values, and that the backend has endpoints. */
export const checkLoadBalancing: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) examineTimes(view, policies.health, pointer)
  for (const route of httpRoutes(view))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      examineBackend(view, value, pointer)
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    examineBackend(view, value, pointer)
  for (const { value, pointer } of view.items(view.file.services, '/services'))
    examineAffinity(view, value, pointer)
}

/** Without any time, clients would never be forgotten. */
function examineAffinity(view: ValidationContext, service: File.Service, pointer: string): void {
  const timeout = service.sessionAffinity?.clientIP.timeout
  if (timeout === undefined || parseDuration(timeout) !== 0) return
  const at = child(child(child(pointer, 'sessionAffinity'), 'clientIP'), 'timeout')
  view.wrongValue(at, 'must be more than 0', { value: timeout })
}

function examineBackend(
  view: ValidationContext,
  backend: File.RouteBackend | File.NamedBackend,
  pointer: string,
): void {
  const { policies } = backend
  const at = child(pointer, 'policies')
  examineProviders(view, backend, pointer)
  if (policies === undefined) return
  examineTimes(view, policies.health, at)
  const kind = kindWithoutEndpoints(backend)
  if (kind !== undefined && policies.health?.active !== undefined)
    view.problem(
      child(child(at, 'health'), 'active'),
      `${kind} backends have no endpoints that could be checked`,
      kind === 'ai' ? 'providers are judged by their answers: health.eviction' : undefined,
    )
  if (kind !== undefined && policies.loadBalancing !== undefined)
    view.warning(
      child(at, 'loadBalancing'),
      'no_effect',
      `loadBalancing has no effect on ${kind} backends: a route has it, for the choice among its backends`,
    )
  if (policies.sessionAffinity !== undefined && policies.loadBalancing?.ringHash !== undefined)
    view.problem(at, 'sessionAffinity and loadBalancing.ringHash are the same: at most one can be there')
}

/** Backends whose endpoints are unknown before a request, or that manage their own. */
function kindWithoutEndpoints(backend: File.RouteBackend | File.NamedBackend): string | undefined {
  return (['dynamic', 'internal', 'mcp', 'ai'] as const).find((kind) => backend[kind] !== undefined)
}

function examineProviders(
  view: ValidationContext,
  { ai }: File.RouteBackend | File.NamedBackend,
  pointer: string,
): void {
  if (ai === undefined || !('groups' in ai)) return
  const groups = child(child(pointer, 'ai'), 'groups')
  for (const group of view.items(ai.groups, groups))
    for (const { value, pointer: at } of view.items(group.value.providers, child(group.pointer, 'providers')))
      if (value.policies?.health?.active !== undefined)
        view.problem(
          child(child(child(at, 'policies'), 'health'), 'active'),
          'providers have no endpoints that could be checked',
          'they are judged by their answers: health.eviction',
        )
}

function examineTimes(
  view: ValidationContext,
  health: File.BackendHealth | undefined,
  pointer: string,
): void {
  const { active } = health ?? {}
  if (active === undefined) return
  const at = child(child(pointer, 'health'), 'active')
  const { interval, timeout } = active
  if (interval !== undefined && (parseDuration(interval) ?? Infinity) < LEAST_INTERVAL_MS)
    view.wrongValue(child(at, 'interval'), `must be at least ${String(LEAST_INTERVAL_MS)}ms`, {
      value: interval,
    })
  if (timeout !== undefined && parseDuration(timeout) === 0)
    view.wrongValue(child(at, 'timeout'), 'must be more than 0', { value: timeout })
}
