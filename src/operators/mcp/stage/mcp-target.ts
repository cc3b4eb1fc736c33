import { defaults } from '../../../config/defaults.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { SpanScope } from '../../../model/tracing/span-scope.ts'
import type { McpTarget } from '../../../model/mcp/mcp-backend.ts'
import type { BackendPolicies, SimpleBackend } from '../../../model/resources/policies.ts'
import type { ResourceLookup } from '../../../model/resources/resource-index.ts'
import { contextThrough, noHttpContextFor } from '../servers/inner-exchange.ts'
import type { Era } from '../servers/protocol-era.ts'
import type { Target } from '../servers/target.ts'
import { TargetState } from '../servers/target-state.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { RemoteOpenApiTools } from '../../../upstream/mcp/openapi/remote-document.ts'
import { HttpSseTransport } from '../../../upstream/mcp/http-sse/transport.ts'
import { OpenApiTools } from '../../../upstream/mcp/openapi/tools.ts'
import { OpenApiTransport } from '../../../upstream/mcp/openapi/transport.ts'
import { StdioTransport } from '../../../upstream/mcp/stdio/transport.ts'
import { StreamableHttpTransport } from '../../../upstream/mcp/streamable-http/transport.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Makes the pipeline of requests to a destination. */
export type Reach = (destination: SimpleBackend, policies: BackendPolicies, name: string) => Operator

/** Compiles one server of an MCP backend. */
export const compileMcpTarget = (
  backend: string,
  target: McpTarget,
  context: CompileContext,
  reach: Reach,
): Target => {
  const { name, connection, policies, legacy, minIdle = defaults.mcp.minIdle } = target
  const key = `mcp target ${backend} ${name} ${identityOf(connection)} ${JSON.stringify(policies)}`
  const {
    children,
    backoff,
    log,
    onMessageDropped,
    statusRegistry,
    onStatusChange,
    onListTruncated,
    sessionTtlMs,
  } = context.mcp
  const ran = connection.kind === 'stdio' ? () => children.counts().byTarget[name] ?? 0 : undefined
  const state = context.session.keep(key, () => {
    const made = new TargetState(
      (status) => {
        onStatusChange({ ...status, backend, target: name, children: ran?.() })
      },
      (list) => {
        onListTruncated({ ...list, backend, target: name })
      },
      sessionTtlMs,
    )
    made.warm.join(children.spares)
    return made
  })
  // A reload may mean that the server has changed.
  state.lists.clear()
  context.session.onReload(() => {
    state.lists.clear()
  })
  context.session.keep(`listed ${key}`, () =>
    statusRegistry.listTarget({ backend, target: name, status: () => state.status, children: ran }),
  )
  if (connection.kind === 'stdio') {
    // Transports of servers without sessions are shared by their clients.
    const createTransport = (era: Era) =>
      new StdioTransport(name, connection, {
        ...{ children, backoff, log, onMessageDropped },
        isShared: era === 'modern',
      })
    return {
      name,
      state,
      legacy,
      minIdle,
      isBound: true,
      isProgram: true,
      createTransport,
      requestContext: noHttpContextFor,
    }
  }
  checkDestination(name, connection.destination, context.lookup)
  const pipeline = reach(connection.destination, policies, name)
  const authority = authorityFor(connection.destination, context.lookup)
  const common = {
    name,
    state,
    legacy,
    requestContext: (x: Exchange, scope?: SpanScope) => contextThrough(pipeline, authority, x, scope),
  }
  if (connection.kind === 'openapi') {
    const { document } = connection
    const tools =
      'parsed' in document ? new OpenApiTools(document.parsed) : remoteTools(document.url, context)
    const { prefix } = connection
    return { ...common, isBound: false, createTransport: () => new OpenApiTransport(name, { prefix, tools }) }
  }
  const { kind, path } = connection
  if (kind === 'sse')
    return {
      ...common,
      pipeline,
      isBound: true,
      createTransport: () => new HttpSseTransport(name, path, { onMessageDropped }),
    }
  return {
    ...common,
    pipeline,
    isBound: false,
    createTransport: (era, resumed) =>
      new StreamableHttpTransport(name, path, {
        era,
        ...resumed,
        ...(era === 'modern' && { revision: '2026-07-28' }),
      }),
  }
}

/** The identity of a server. Documents are long, and do not determine its address. */
const identityOf = (connection: McpTarget['connection']): string =>
  JSON.stringify(connection.kind === 'openapi' ? { ...connection, document: undefined } : connection)

const remoteTools = (url: string, { session, dependencies }: CompileContext): RemoteOpenApiTools =>
  session.keep(
    `openapi ${url}`,
    () =>
      new RemoteOpenApiTools({ url, report: dependencies.add(`openapi ${url.replace(/\?.*/, '')}`, false) }),
  )

/**
 * A control plane sends backends one by one: that a server is an MCP backend, perhaps the one that it belongs to, is
 * found here. In a file, the checks find it.
 *
 * @throws TypeError
 */
const checkDestination = (name: string, destination: SimpleBackend, resources: ResourceLookup): void => {
  const spec = destination.kind === 'backend' ? resources.backend(destination.key)?.spec : undefined
  if (destination.kind === 'backend' && spec && spec.type !== 'static')
    throw new TypeError(
      `MCP target ${name}: "${destination.key}" must be a backend with a host, and has the type ${spec.type}`,
    )
}

/** The authority of requests to a server, for name-based virtual hosts. */
const authorityFor = (destination: SimpleBackend, resources: ResourceLookup): string => {
  if (destination.kind === 'service') return destination.name.split('/').at(-1) ?? 'localhost'
  const spec = destination.kind === 'backend' ? resources.backend(destination.key)?.spec : undefined
  const address =
    destination.kind === 'host' ? destination.target : spec?.type === 'static' ? spec.target : undefined
  if (!address || !('host' in address)) return 'localhost'
  return `${address.host.includes(':') && !address.host.startsWith('[') ? `[${address.host}]` : address.host}:${address.port}`
}
