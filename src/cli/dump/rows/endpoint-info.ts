import { type DumpMembers, dumpNumber, dumpText } from '../json-access.ts'

/** The state of an endpoint. */
export interface EndpointInfo {
  /** `0.98`, `Evict (3.3s)`, `evicted`; empty if the dump does not have it. */
  readonly health: string
  readonly requests?: number
  readonly latencyMs?: number
}

/** Reads `info` of an endpoint, in both spellings of its members. */
export const readEndpointInfo = (info: DumpMembers, isRejected: boolean, nowMs: number): EndpointInfo => {
  const score = dumpNumber(info.health)
  const requests = dumpNumber(info.totalRequests ?? info.total_requests)
  const seconds = dumpNumber(info.requestLatency ?? info.request_latency)
  const until = dumpText(info.evictedUntil ?? info.evicted_until)
  return {
    health: isRejected ? evicted(until, nowMs) : (score?.toFixed(2) ?? ''),
    ...(requests !== undefined && { requests }),
    ...(seconds !== undefined && requests !== 0 && { latencyMs: Number((seconds * 1000).toFixed(2)) }),
  }
}

/** Reads an item of `health`, which lists endpoints beside their backends. */
export const readHealthItem = (item: DumpMembers, nowMs: number): EndpointInfo => {
  const latencyMs = dumpNumber(item.latencyMs)
  const { score, requests, until, state } = item
  const seconds = dumpNumber(item.requestLatency) ?? (latencyMs === undefined ? undefined : latencyMs / 1000)
  const info = {
    health: score,
    totalRequests: requests ?? item.totalRequests,
    requestLatency: seconds,
    evictedUntil: until,
  }
  const read = readEndpointInfo(info, state === 'evicted' || state === 'unhealthy', nowMs)
  return state === 'unhealthy' ? { ...read, health: 'unhealthy' } : read
}

/** `until` is a duration such as `3.3s`, or a time. */
const evicted = (until: string, nowMs: number): string => {
  if (/^[\d.]+(h|m|s|ms|µs|us|ns)/.test(until)) return `Evict (${until})`
  const left = Date.parse(until) - nowMs
  return left > 0 ? `Evict (${(left / 1000).toFixed(1)}s)` : 'evicted'
}
