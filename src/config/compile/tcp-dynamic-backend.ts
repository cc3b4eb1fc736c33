import { type Expression, compile } from '../../cel/compile.ts'
import { ConnectionContext } from '../../cel/context/connection-context.ts'
import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { Connection } from '../../model/exchange/connection.ts'
import type { DynamicBackend } from '../../model/resources/dynamic-backend.ts'
import type { RouteLabels, TcpDeadEnd, TcpTarget } from '../../model/resources/snapshot.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { permission, refusedDestination } from '../../upstream/dynamic/allowed-destinations.ts'

/**
 * Determines the target of a raw connection to a `dynamic` backend: the result of its expression, else the server
 * name of the TLS client. The default port is the one on which the connection arrived.
 *
 * The result is only a request: names and ports are checked here, addresses when they are resolved.
 */
export const dynamicTarget = (
  { target, allow }: DynamicBackend,
  found: Pick<TcpTarget, 'labels' | 'backend' | 'tls' | 'proxy'>,
  definitions: string | undefined,
): ((connection: Connection, serverName: string | undefined) => TcpTarget | TcpDeadEnd) => {
  const allowed = permission(allow)
  const expression =
    target === undefined ? undefined : compile(target, { functions: functionsOf(definitions) })
  return (connection, serverName) => {
    const address = expression ? given(expression, connection, serverName) : serverName
    const authority = address === undefined ? undefined : parseAuthority(address)
    if (!authority) return refused(found.labels, 'no destination, or a malformed one')
    const port = authority.port ?? connection.destinationPort
    if (!allowed.names(authority, port))
      return refused(found.labels, `${authority.host}:${String(port)} is not on the list`)
    const host = authority.host.startsWith('[') ? authority.host.slice(1, -1) : authority.host
    return { ...found, target: { host, port }, reaches: (ip) => allowed.reaches(ip) }
  }
}

const given = (expression: Expression, connection: Connection, serverName: string | undefined) => {
  const { value, error } = expression.evaluate(new ConnectionContext(connection, serverName))
  return error || typeof value !== 'string' ? undefined : value
}

const refused = (labels: RouteLabels, why: string): TcpDeadEnd => ({ labels, fault: refusedDestination(why) })
