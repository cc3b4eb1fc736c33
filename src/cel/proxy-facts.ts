import type { Exchange } from '../model/exchange.ts'
import type { ProxyFacts } from './context.ts'

/** Where an exchange is, and its times so far. */
export const proxyOf = ({
  labels,
  request,
  upstreamStartedAt,
  upstreamRepliedAt,
  endedAt,
}: Exchange): ProxyFacts => {
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
