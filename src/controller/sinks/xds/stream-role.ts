import type { Node } from '../../../protocols/xds/discovery.gen.ts'
import type { ServiceAccount } from './authentication.ts'

/**
 * The gateway that a client belongs to, as `namespace/name`, from the role `namespace~name` in its metadata; undefined
 * if it names none.
 */
export const gatewayOf = (node: Pick<Node, 'metadata'>): string | undefined => {
  const role = node.metadata?.role
  if (typeof role !== 'string' || role.length > LONGEST_ROLE) return undefined
  const match = ROLE.exec(role)
  return match ? `${match[1] ?? ''}/${match[2] ?? ''}` : undefined
}

/** Why an account may not have the resources of a gateway; undefined if it may: they have the same name. */
export const roleProblem = (gateway: string, { namespace, name }: ServiceAccount): string | undefined => {
  const own = `${namespace}/${name}`
  return own === gateway ? undefined : `requested gateway ${gateway} but authenticated as ${own}`
}

const ROLE = /^([a-z0-9.-]+)~([a-z0-9.-]+)$/
const LONGEST_ROLE = 507
