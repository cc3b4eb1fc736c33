import type { BackendLabels } from '../model/snapshot.ts'
import type { HttpUpstream } from './upstream.ts'

/** The same upstream, which logs and metrics call something else. */
export const labelled = (upstream: HttpUpstream, labels: BackendLabels): HttpUpstream => ({
  labels,
  call: (x, events) => upstream.call(x, events),
  ...(upstream.authority && { authority: (x) => upstream.authority?.(x) }),
})
