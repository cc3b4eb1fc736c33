import type { PolicyCallKind } from '../../../config/compile/compile-context.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { beginWork } from '../../../model/introspection/active-work.ts'
import type { SimpleBackend } from '../../../model/resources/policies.ts'
import { addressOf } from '../../../upstream/connect/address.ts'
import { addressName } from '../../../upstream/connect/dial.ts'

/** Lists a callout among the active work, until the returned function is called. */
export type ListCallout = (options: {
  /** Undefined: unlimited. */
  readonly timeoutMs: number | undefined
  readonly about?: Exchange | undefined
}) => () => void

/** Lists the callouts to the service of a policy. */
export const listCallouts = (kind: PolicyCallKind, backend: SimpleBackend): ListCallout => {
  const service = nameOf(backend)
  const detail = () => ({ service })
  return ({ timeoutMs, about }) =>
    beginWork('callout', kind, {
      requestId: about?.request.id,
      deadlineAt: timeoutMs === undefined ? undefined : performance.now() + timeoutMs,
      detail,
    })
}

const nameOf = (backend: SimpleBackend): string => {
  if (backend.kind === 'backend') return backend.key
  if (backend.kind === 'service') return `${backend.name}:${backend.port}`
  return addressName(addressOf(backend.target))
}
