import type { Exchange } from '../../model/exchange.ts'
import type { McpTarget } from '../../model/mcp.ts'
import type { BackendPolicies, SimpleBackend } from '../../model/policies.ts'
import type { Resources } from '../../model/resources.ts'
import { behalfThrough, noBehalf } from '../../operators/backend/mcp/servers/send-inside.ts'
import type { Era } from '../../operators/backend/mcp/servers/era.ts'
import type { Target } from '../../operators/backend/mcp/servers/target.ts'
import { TargetMemory } from '../../operators/backend/mcp/servers/target-memory.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { RemoteOpenApiTools } from '../../upstream/mcp/openapi-remote.ts'
import { LegacySseWire } from '../../upstream/mcp/legacy-sse.ts'
import { OpenApiTools } from '../../upstream/mcp/openapi-tools.ts'
import { OpenApiWire } from '../../upstream/mcp/openapi-wire.ts'
import { StdioWire } from '../../upstream/mcp/stdio-wire.ts'
import { StreamableHttpWire } from '../../upstream/mcp/streamable-http.ts'
import type { Workshop } from './workshop.ts'

/** Makes the pipeline of requests to a destination. */
export type Reach = (destination: SimpleBackend, policies: BackendPolicies) => Operator

/** Makes one server ready to be talked to. */
export const compileMcpTarget = (
  backend: string,
  target: McpTarget,
  workshop: Workshop,
  reach: Reach,
): Target => {
  const { name, connection, policies } = target
  const key = `mcp target ${backend} ${name} ${identityOf(connection)} ${JSON.stringify(policies)}`
  const { children, backoff, log, book, changed } = workshop.mcp
  const ran = connection.kind === 'stdio' ? () => children.counts().byTarget[name] ?? 0 : undefined
  const memory = workshop.session.keep(
    key,
    () =>
      new TargetMemory((status) => {
        changed({ ...status, backend, target: name, children: ran?.() })
      }),
  )
  workshop.session.keep(`listed ${key}`, () =>
    book.listTarget({ backend, target: name, status: () => memory.status, children: ran }),
  )
  if (connection.kind === 'stdio') {
    // Servers without sessions are shared by their clients, the others are not.
    const wire = (era: Era) =>
      new StdioWire(name, connection, { children, backoff, log, isShared: era === 'modern' })
    return { name, memory, isBound: true, wire, behalf: () => noBehalf }
  }
  const pipeline = reach(connection.destination, policies)
  const authority = authorityFor(connection.destination, workshop.resources)
  const common = { name, memory, behalf: (x: Exchange) => behalfThrough(pipeline, authority, x) }
  if (connection.kind === 'openapi') {
    const { document } = connection
    const tools =
      'parsed' in document ? new OpenApiTools(document.parsed) : remoteTools(document.url, workshop)
    const { prefix } = connection
    return { ...common, isBound: false, wire: () => new OpenApiWire(name, { prefix, tools }) }
  }
  const { kind, path } = connection
  if (kind === 'sse')
    return {
      ...common,
      pipeline,
      isBound: true,
      wire: () => new LegacySseWire(name, path),
    }
  return {
    ...common,
    pipeline,
    isBound: false,
    wire: (era, resumed) =>
      new StreamableHttpWire(name, path, {
        era,
        ...resumed,
        ...(era === 'modern' && { revision: '2026-07-28' }),
      }),
  }
}

/** What makes it another server. Documents are long, and say nothing of where the server is. */
const identityOf = (connection: McpTarget['connection']): string =>
  JSON.stringify(connection.kind === 'openapi' ? { ...connection, document: undefined } : connection)

const remoteTools = (url: string, { session, dependencies }: Workshop): RemoteOpenApiTools =>
  session.keep(
    `openapi ${url}`,
    () =>
      new RemoteOpenApiTools({ url, report: dependencies.add(`openapi ${url.replace(/\?.*/, '')}`, false) }),
  )

/** What a server is called in requests, so that one which looks at the name finds its own. */
const authorityFor = (destination: SimpleBackend, { backends }: Resources): string => {
  if (destination.kind === 'service') return destination.name.split('/').at(-1) ?? 'localhost'
  const spec =
    destination.kind === 'backend' ? backends.find(({ key }) => key === destination.key)?.spec : undefined
  const place =
    destination.kind === 'host' ? destination.target : spec?.type === 'static' ? spec.target : undefined
  if (!place || !('host' in place)) return 'localhost'
  return `${place.host.includes(':') && !place.host.startsWith('[') ? `[${place.host}]` : place.host}:${place.port}`
}
