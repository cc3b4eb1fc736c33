import type { Resources, Route } from './model/resources.ts'
import type { PortAddress } from './streams/http/port-address.ts'

/** An address that something listens on, such as `default` at `http://127.0.0.1:3000`. */
export interface Address {
  readonly name: string
  readonly url: string
}

/**
 * Commands to try on a gateway that has just started: two of its routes, the tools of the first MCP servers behind it, and
 * the live trace of a request.
 *
 * Only routes that plain `curl` can reach are offered: no host names, methods, headers or queries to match.
 */
export const tryLines = ({ binds, backends }: Resources, addresses: readonly Address[]): string[] => {
  const mcp = new Set(backends.filter(({ spec }) => spec.type === 'mcp').map(({ key }) => key))
  const isMcp = (route: Route) =>
    route.backends.some(({ target }) => target.kind === 'backend' && mcp.has(target.key))
  const urlOf = (name: string): string | undefined =>
    addresses.find((one) => one.name === name)?.url.replace('[::]', '127.0.0.1')
  const routes = binds
    .flatMap(({ listeners }) => listeners)
    .filter((listener) => listener.protocol === 'HTTP' && ['', '*'].includes(listener.hostname))
    .flatMap((listener) => listener.routes.map((route) => ({ route, url: urlOf(listener.gatewayName) })))
  const lines = routes.flatMap(({ route, url }) => {
    const path = samplePath(route)
    if (url === undefined || path === undefined) return []
    const mcp = isMcp(route)
    // Clients of MCP ask for the address itself, and for nothing below it.
    return [{ url: `${url}${mcp ? path.replace(/(?<=.)\/$/, '') : path}`, mcp }]
  })
  const plain = lines.filter((line) => !line.mcp).map((line) => `curl ${line.url}`)
  const tools = lines.find((line) => line.mcp)
  const admin = urlOf('admin')
  return [
    ...[...new Set(plain)].slice(0, 2),
    ...(tools === undefined ? [] : [`${INSPECTOR} --cli ${tools.url} --transport http --method tools/list`]),
    ...(admin === undefined ? [] : [`curl -N ${admin}/debug/trace`]),
  ]
}

/** The MCP Inspector, which asks for a list without a page to look at. */
const INSPECTOR = 'npx @modelcontextprotocol/inspector'

const samplePath = ({ hostnames, matches }: Route): string | undefined => {
  const plain = matches.find(
    ({ method, headers, query }) => method === undefined && !headers?.length && !query?.length,
  )
  if (hostnames.length || !plain || 'regex' in plain.path) return undefined
  if ('exact' in plain.path) return plain.path.exact
  return plain.path.pathPrefix.endsWith('/') ? plain.path.pathPrefix : `${plain.path.pathPrefix}/`
}

/** Where the gateways of a configuration listen, with the ports that the system chose. */
export const gatewayAddresses = ({ binds }: Resources, addresses: readonly PortAddress[]): Address[] =>
  addresses.flatMap((address) => {
    const bind = binds.find(({ key }) => key === address.bind)
    const url = 'unix' in address ? `unix:${address.unix}` : urlOf(address.host, address.port, bind?.protocol)
    const names = new Set(bind?.listeners.map(({ gatewayName }) => gatewayName))
    return [...names].map((name) => ({ name, url }))
  })

const urlOf = (host: string, port: number, protocol: string | undefined): string => {
  const scheme = protocol === 'tls' ? 'https' : 'http'
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
