import type { BackendLabels } from '../model/resources/snapshot.ts'
import type { HttpUpstream } from './upstream.ts'

/** The same upstream under another name in logs and metrics. */
export const labelled = (upstream: HttpUpstream, labels: BackendLabels): HttpUpstream => ({
  labels,
  call: (x, events) => upstream.call(x, events),
  ...(upstream.authority && { authority: (x) => upstream.authority?.(x) }),
})
