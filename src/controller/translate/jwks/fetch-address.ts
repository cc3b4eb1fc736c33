import { hostPort } from '../../../config/format/address.ts'
import type { GraphReads } from '../../graph/query.ts'
import { hostAndPort } from '../../schema/backend-form.ts'
import { callableBackend } from '../backend/callable-backend.ts'
import { serviceNames } from '../service/service-names.ts'
import { type ConnectionTarget, shown } from './connection-policy.ts'

/** The address of a target, `host:port`, or why the control plane has none to connect to. */
export const fetchAddress = (
  reads: GraphReads,
  { id, port }: ConnectionTarget,
): { readonly address: string } | { readonly problem: string } => {
  const slash = id.indexOf('/')
  const key = id.slice(slash + 1)
  if (id.startsWith('Service/')) return { address: `${serviceNames(key, reads.settings).hostname}:${port}` }
  const backend = reads.query(callableBackend, key)
  // A socket is one of the machine of a proxy; here it would be one of the control plane.
  if (backend?.unixPath !== undefined)
    return { problem: `${shown(id)} has a Unix domain socket, which the control plane does not connect to` }
  const address = hostAndPort({ host: backend?.host ?? '', port: backend?.port ?? 0 })
  const refusal = hostPort(address)
  return refusal ? { problem: `${shown(id)}: its address "${address}" ${refusal.expectation}` } : { address }
}
