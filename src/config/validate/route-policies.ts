import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { allListeners, httpRoutes, type HttpRouteLocation, tcpRoutes } from './route-locations.ts'
import type { Check, ValidationContext } from './context.ts'

/** Checks for policies that can never work. */
export const checkRoutePolicies: Check = (view) => {
  for (const route of httpRoutes(view)) {
    const pointer = child(route.pointer, 'policies')
    examineContainer(view, route.value.policies, pointer)
    examinePrefixChanges(view, route, pointer)
    for (const backend of view.items(route.value.backends, child(route.pointer, 'backends'))) {
      examineBackend(view, backend.value, backend.pointer)
    }
  }
  for (const route of tcpRoutes(view))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends')))
      examineDynamic(view, value, pointer)
  for (const { policies, policiesPointer } of allListeners(view))
    examineContainer(view, policies, policiesPointer)
  for (const { value, pointer } of view.items(view.file.policies, '/policies')) {
    examineContainer(view, value.policy, child(pointer, 'policy'))
  }
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    examineBackend(view, value, pointer)
}

function examineContainer(
  view: ValidationContext,
  policies: File.RoutePolicies | undefined,
  pointer: string,
): void {
  if (policies === undefined) return
  const { cors, directResponse, transformations, timeout, retry } = policies
  if (directResponse !== undefined && 'conditional' in directResponse) {
    checkConditionOrder(view, directResponse.conditional, child(pointer, 'directResponse'))
  }
  if (transformations !== undefined && 'conditional' in transformations) {
    checkConditionOrder(view, transformations.conditional, child(pointer, 'transformations'))
  }
  if (cors?.allowCredentials === true && cors.allowOrigins?.includes('*') === true) {
    view.warning(
      child(pointer, 'cors'),
      'cors_any_origin_with_credentials',
      'any site may send requests with credentials of its visitors and read the answers',
    )
  }
  if (cors !== undefined && (cors.allowOrigins ?? []).length === 0) {
    view.warning(
      child(pointer, 'cors'),
      'cors_without_origins',
      'without allowOrigins, no other site may call',
    )
  }
  if (
    timeout !== undefined &&
    timeout.requestTimeout === undefined &&
    timeout.backendRequestTimeout === undefined
  ) {
    view.problem(child(pointer, 'timeout'), 'must have one of requestTimeout, backendRequestTimeout')
  }
  if (retry?.backoff !== undefined && retry.codes.some((code) => code < 400)) {
    view.warning(child(pointer, 'retry'), 'retry_of_success', 'statuses below 400 are retried')
  }
}

/** An entry without a condition always applies: later ones are unreachable. */
export function checkConditionOrder(
  view: ValidationContext,
  list: readonly { condition?: string }[],
  pointer: string,
): void {
  const at = child(pointer, 'conditional')
  for (const { value, pointer: entry } of view.items(list, at).slice(0, -1)) {
    if (value.condition === undefined) view.problem(entry, 'entries without condition must be last')
  }
}

/** A prefix can be replaced only if the route matched one. */
function examinePrefixChanges(
  view: ValidationContext,
  { value, pointer }: HttpRouteLocation,
  policies: string,
): void {
  const changes = [
    ['requestRedirect', value.policies?.requestRedirect?.path?.prefix],
    ['urlRewrite', value.policies?.urlRewrite?.path?.prefix],
  ] as const
  const matches = value.matches ?? []
  const without = matches.filter(({ path }) => path !== undefined && path.pathPrefix === undefined).length
  for (const [policy, prefix] of changes) {
    if (prefix === undefined || without === 0) continue
    const at = child(child(child(policies, policy), 'path'), 'prefix')
    const what = policy === 'requestRedirect' ? 'prefix redirect' : 'prefix rewrite'
    if (without === matches.length) {
      view.problem(
        at,
        `${what} requires prefix match`,
        `no match of ${view.document.display(pointer)} has a pathPrefix; path.full replaces the whole path`,
      )
    } else {
      view.warning(
        at,
        'prefix_without_prefix_match',
        `${what} requires prefix match, which not all matches of the route have`,
      )
    }
  }
}

function examineDynamic(
  view: ValidationContext,
  { dynamic }: { readonly dynamic?: File.DynamicBackend | File.TcpDynamicBackend },
  pointer: string,
): void {
  if (dynamic !== undefined && (dynamic.allow?.hosts ?? []).length === 0) {
    view.warning(
      child(pointer, 'dynamic'),
      'dynamic_allows_nothing',
      'without allow.hosts, every request through this backend is refused',
    )
  }
}

function examineBackend(
  view: ValidationContext,
  backend: File.RouteBackend | File.NamedBackend,
  pointer: string,
): void {
  examineDynamic(view, backend, pointer)
  if (backend.policies?.sessionAffinity !== undefined && !('service' in backend) && !('backend' in backend)) {
    view.warning(
      child(child(pointer, 'policies'), 'sessionAffinity'),
      'no_effect',
      'sessionAffinity has an effect on services only',
    )
  }
}
