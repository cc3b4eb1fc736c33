import type { RouteLabels } from '../model/snapshot.ts'
import type { ProxyFacts } from './context.ts'

/** What knows where it is and when it got there: an exchange, or what stands for one. Times are 0 before. */
export interface OnItsWay {
  readonly labels: RouteLabels
  readonly request: { readonly startedAt: number }
  readonly upstreamStartedAt: number
  readonly upstreamRepliedAt: number
  readonly endedAt: number
}

/** Where something is, and its times so far. */
export const proxyOf = ({
  labels,
  request,
  upstreamStartedAt,
  upstreamRepliedAt,
  endedAt,
}: OnItsWay): ProxyFacts => {
  const route = named(labels.route)
  return {
    bind: labels.bind,
    gateway: named(labels.gateway),
    listener: labels.listener === undefined ? undefined : { name: labels.listener },
    route: route && { ...route, rule: labels.routeRule },
    requestProcessingMs: between(request.startedAt, upstreamStartedAt),
    upstreamMs: between(upstreamStartedAt, upstreamRepliedAt),
    responseProcessingMs: between(upstreamRepliedAt, endedAt),
  }
}

/** Namespace and name of `namespace/name`. */
const named = (label: string | undefined): { namespace: string; name: string } | undefined => {
  if (label === undefined) return undefined
  const slash = label.indexOf('/')
  return { namespace: label.slice(0, Math.max(slash, 0)), name: label.slice(slash + 1) }
}

/** Milliseconds from one time to another; undefined unless both were. */
const between = (from: number, to: number): number | undefined => (from && to ? to - from : undefined)
