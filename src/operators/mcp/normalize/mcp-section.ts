import type { Backend, Bind, Route } from '../../../model/resources/resources.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { type Context, originOf } from '../../../config/normalize/context.ts'
import { normalizeMcpBackend } from './mcp-backend.ts'
import { httpRoute, type RouteParent } from '../../route/normalize/route.ts'

/** The namespace of routes and backends that come from sections. */
export const SECTION_NAMESPACE = 'internal'
const NAME = 'mcp'

/** The port of the section `mcp`, if it has its own instead of gateways. */
export function mcpPort(section: File.McpSection, hasDefaultGateway: boolean): number | undefined {
  if (section.port !== undefined) return section.port
  return section.gateways === undefined && !hasDefaultGateway ? defaults.mcp.port : undefined
}

/** The route of the section, without its backend. */
export function mcpSectionRoute(section: File.McpSection, onOwnPort: boolean): File.Route {
  const prefixes = onOwnPort ? ['/'] : GATEWAY_PREFIXES
  return {
    name: NAME,
    namespace: SECTION_NAMESPACE,
    matches: prefixes.map((pathPrefix) => ({ path: { pathPrefix } })),
    ...(section.policies && { policies: section.policies }),
  }
}

/** Paths that MCP clients request: either transport, and the metadata for login. */
const GATEWAY_PREFIXES = ['/mcp', '/sse', '/.well-known']

/** The route of the section on one listener. */
export function mcpRoute(
  section: File.McpSection,
  parent: Omit<RouteParent, 'index' | 'pointer'>,
  context: Context,
  onOwnPort = false,
): Route {
  const route = httpRoute(
    mcpSectionRoute(section, onOwnPort),
    { ...parent, index: 0, pointer: '/mcp' },
    context,
  )
  const target = { kind: 'backend', key: BACKEND_KEY } as const
  return { ...route, backends: [{ weight: defaults.weight, target, policies: {} }] }
}

/** One backend for all listeners: a session may continue through any of them. */
const BACKEND_KEY = `${SECTION_NAMESPACE}/${NAME}`

/** The servers of the section. */
export function mcpSectionBackend({ mcp }: File.ConfigFile, context: Context): readonly Backend[] {
  if (mcp === undefined) return []
  const spec = { type: 'mcp', ...normalizeMcpBackend(mcp, context) } as const
  return [
    {
      key: BACKEND_KEY,
      name: NAME,
      namespace: SECTION_NAMESPACE,
      spec,
      policies: {},
      origin: originOf(context, '/mcp'),
    },
  ]
}

/** The bind of the section, if it has its own port. */
export function mcpBind({ mcp, gateways }: File.ConfigFile, context: Context): readonly Bind[] {
  if (mcp === undefined) return []
  const port = mcpPort(mcp, Object.hasOwn(gateways ?? {}, 'default'))
  if (port === undefined) return []
  const bind = port === 0 ? `bind/0/${NAME}` : `bind/${String(port)}`
  const key = `default/default/${bind}/${NAME}`
  return [
    {
      key: bind,
      address: context.anyAddress,
      port,
      protocol: 'http',
      tunnelProtocol: 'direct',
      mode: 'standard',
      listeners: [
        {
          key,
          gatewayName: 'default',
          gatewayNamespace: 'default',
          listenerName: NAME,
          hostname: '',
          protocol: 'HTTP',
          policies: {},
          routes: [mcpRoute(mcp, { owner: key }, context, true)],
          tcpRoutes: [],
          origin: originOf(context, '/mcp'),
        },
      ],
    },
  ]
}
