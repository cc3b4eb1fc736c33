import type { Explainer } from '../explain/explainer.ts'
import { locateRecorded } from '../recorded/explain-recorded.ts'
import type { RecordedRequest } from '../recorded/recorded-request.ts'
import { type RequestWay, type WayChange, wayChanges, wayOf } from './request-way.ts'

/** Requests that would take another way, and in which parts. */
export interface RequestChange {
  readonly method: string
  readonly url: string
  /** How many recorded requests are alike. */
  readonly count: number
  readonly changes: readonly WayChange[]
}

/** The recorded requests that go another way in the second configuration. Equal requests are explained once. */
export const diffRequests = async (
  requests: readonly RecordedRequest[],
  a: Explainer,
  b: Explainer,
  gateway: string | undefined,
): Promise<readonly RequestChange[]> => {
  const groups = Map.groupBy(requests, ({ method, url, headers, body, gateway: of, port }) =>
    JSON.stringify([method, url, headers, body?.toString('base64'), of, port]),
  )
  const changed: RequestChange[] = []
  for (const [first, ...others] of groups.values()) {
    if (!first) continue
    const changes = wayChanges(await way(first, a, gateway), await way(first, b, gateway))
    const { method, url } = first
    if (changes.length > 0) changed.push({ method, url, count: others.length + 1, changes })
  }
  return changed
}

const way = async (
  recorded: RecordedRequest,
  explainer: Explainer,
  gateway: string | undefined,
): Promise<RequestWay> => {
  const located = locateRecorded(recorded, explainer.resources.binds, gateway)
  if (typeof located === 'string')
    return { listener: 'none', route: 'none', policies: [], backends: [], verdict: [located] }
  const { bind, request } = located
  return wayOf(await explainer.explain(bind.key, request.url, request))
}
