import type { RouteLabels } from '../../model/resources/snapshot.ts'
import type { ProxyAttributes } from './context.ts'

/** Names and times of an exchange or a raw connection. A time is 0 before it is reached. */
export interface OnItsWay {
  readonly labels: RouteLabels
  readonly request: { readonly startedAt: number }
  readonly upstream: { readonly startedAt: number; readonly respondedAt: number }
  readonly downstream: { readonly endedAt: number }
}

/** The names and times so far, as expressions read them. */
export const proxyOf = ({ labels, request, upstream, downstream }: OnItsWay): ProxyAttributes => {
  const route = named(labels.route)
  return {
    bind: labels.bind,
    gateway: named(labels.gateway),
    listener: labels.listener === undefined ? undefined : { name: labels.listener },
    route: route && { ...route, rule: labels.routeRule },
    requestProcessingMs: between(request.startedAt, upstream.startedAt),
    upstreamMs: between(upstream.startedAt, upstream.respondedAt),
    responseProcessingMs: between(upstream.respondedAt, downstream.endedAt),
  }
}

/** Namespace and name of `namespace/name`. */
const named = (label: string | undefined): { namespace: string; name: string } | undefined => {
  if (label === undefined) return undefined
  const slash = label.indexOf('/')
  return { namespace: label.slice(0, Math.max(slash, 0)), name: label.slice(slash + 1) }
}

/** Milliseconds from one time to another; undefined unless both are set. */
const between = (from: number, to: number): number | undefined => (from && to ? to - from : undefined)
