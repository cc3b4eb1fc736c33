import type { Node } from '../../../protocols/xds/discovery.gen.ts'
import type { ServiceAccount } from './authentication.ts'

/**
 * The role that a client has in its metadata, `namespace~name`, as `namespace/name`; undefined if it has none. The name
 * is that of the objects of a Gateway, which is another than the Gateway's if that is long.
 */
export const roleOf = (node: Pick<Node, 'metadata'>): string | undefined => {
  const presented = node.metadata?.role
  if (typeof presented !== 'string' || presented.length > LONGEST_ROLE) return undefined
  const match = ROLE.exec(presented)
  return match ? `${match[1] ?? ''}/${match[2] ?? ''}` : undefined
}

/** Why an account may not have the resources of a role; undefined if it may: they have the same name. */
export const roleProblem = (role: string, { namespace, name }: ServiceAccount): string | undefined => {
  const own = `${namespace}/${name}`
  return own === role ? undefined : `requested gateway ${role} but authenticated as ${own}`
}

const ROLE = /^([a-z0-9.-]+)~([a-z0-9.-]+)$/
const LONGEST_ROLE = 507
