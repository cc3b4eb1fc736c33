import type { McpBackend, McpOpenApi, McpRemote, McpStdio, McpTarget } from '../../model/mcp.ts'
import type { BackendPolicies, SimpleBackend } from '../../model/policies.ts'
import { publicTls } from '../../model/public-tls.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { parseMcpAddress } from '../format/mcp-address.ts'
import { backendPolicies } from './backend-policies.ts'
import { type Context, milliseconds } from './context.ts'
import { openApiDocument } from './mcp-openapi.ts'
import { namedBackendKey } from './references.ts'

/** MCP servers, with their places and defaults filled in. */
export function mcpBackend(source: File.McpBackend, context: Context): McpBackend {
  const { statefulMode, prefixMode, maxNameLength, failureMode } = defaults.mcp
  return {
    targets: source.targets.map((target) => mcpTarget(target, context)),
    statefulMode: source.statefulMode ?? statefulMode,
    prefixMode: source.prefixMode ?? prefixMode,
    maxNameLength: source.maxNameLength ?? maxNameLength,
    failureMode: source.failureMode ?? failureMode,
    ...(source.partialAfter !== undefined && { partialAfterMs: milliseconds(source.partialAfter) }),
    ...(source.hangUpAfter !== undefined && { hangUpAfterMs: milliseconds(source.hangUpAfter) }),
    dnsRebindingProtection: source.dnsRebindingProtection,
  }
}

function mcpTarget(source: File.McpTarget, context: Context): McpTarget {
  const { name, stdio, openapi } = source
  if (stdio !== undefined) return { name, connection: child(stdio), policies: {} }
  const [place, ownPath] =
    openapi === undefined
      ? source.sse === undefined
        ? ([source.mcp ?? {}, defaults.mcp.path] as const)
        : ([source.sse, defaults.mcp.ssePath] as const)
      : ([openapi, ''] as const)
  const { destination, path, isEncrypted } = reach(place, ownPath)
  const connection: McpRemote | McpOpenApi =
    openapi === undefined
      ? { kind: source.sse === undefined ? 'http' : 'sse', destination, path }
      : {
          kind: 'openapi',
          destination,
          prefix: path.replace(/\/+$/, ''),
          document: openApiDocument(openapi.schema, context),
        }
  const policies: BackendPolicies = {
    ...(isEncrypted && { backendTLS: publicTls }),
    ...backendPolicies(source.policies, context),
  }
  return { name, connection, policies }
}

function child({ cmd, args, env, clear_env }: NonNullable<File.McpTarget['stdio']>): McpStdio {
  return { kind: 'stdio', command: cmd, args: args ?? [], env: env ?? {}, clearEnv: clear_env ?? false }
}

/** The fields that say where a server is. */
type Place = Pick<NonNullable<File.McpTarget['mcp']>, 'host' | 'port' | 'path' | 'backend'>

interface Reach {
  readonly destination: SimpleBackend
  readonly path: string
  readonly isEncrypted: boolean
}

function reach({ host = '', port, path = '', backend }: Place, usualPath: string): Reach {
  if (backend !== undefined)
    return { destination: { kind: 'backend', key: namedBackendKey(backend) }, path, isEncrypted: false }
  if (port !== undefined)
    return { destination: { kind: 'host', target: { host, port } }, path, isEncrypted: false }
  const address = parseMcpAddress(host, usualPath)
  return {
    destination: { kind: 'host', target: { host: address.host, port: address.port } },
    path: address.path,
    isEncrypted: address.isEncrypted,
  }
}
