import { defaults } from '../../../config/defaults.ts'
import { parseMcpAddress } from '../../../config/format/mcp-address.ts'
import { backendPolicies } from '../../../config/normalize/policies.ts'
import { type Context, fileText, milliseconds, timerMilliseconds } from '../../../config/normalize/context.ts'
import { namedBackendKey, serviceKey } from '../../../config/normalize/references.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type {
  McpBackend,
  McpOpenApi,
  McpRemote,
  McpStdio,
  McpTarget,
} from '../../../model/mcp/mcp-backend.ts'
import type { BackendPolicies, SimpleBackend } from '../../../model/resources/policies.ts'
import { publicTls } from '../../../model/resources/public-tls.ts'
import { readJsonOrYaml } from '../../../protocols/yaml/json-or-yaml.ts'

/** The document of an HTTP interface, read if it is local. */
export function openApiDocument(
  schema: NonNullable<File.McpTarget['openapi']>['schema'],
  context: Pick<Context, 'files'>,
): McpOpenApi['document'] {
  if (typeof schema === 'string') return { parsed: parsed(schema) }
  const { file, url, inline } = schema
  if (url !== undefined) return { url }
  if (file !== undefined) return { parsed: parsed(fileText(context, file)) }
  return { parsed: typeof inline === 'string' ? parsed(inline) : inline }
}

function parsed(text: string): unknown {
  const read = readJsonOrYaml(text)
  if ('value' in read) return read.value
  throw new TypeError(`a document with ${read.problem}; the checks should have refused it`)
}

/** MCP servers, with their addresses and defaults filled in. */
export function normalizeMcpBackend(source: File.McpBackend, context: Context): McpBackend {
  const { statefulMode, prefixMode, maxNameLength, failureMode } = defaults.mcp
  return {
    targets: source.targets.map((target) => mcpTarget(target, context)),
    statefulMode: source.statefulMode ?? statefulMode,
    ...(source.protocolVersions && { protocolVersions: source.protocolVersions }),
    prefixMode: source.prefixMode ?? prefixMode,
    maxNameLength: source.maxNameLength ?? maxNameLength,
    failureMode: source.failureMode ?? failureMode,
    ...(source.partialAfter !== undefined && { partialAfterMs: timerMilliseconds(source.partialAfter) }),
    ...(source.hangUpAfter !== undefined && { hangUpAfterMs: milliseconds(source.hangUpAfter) }),
    dnsRebindingProtection: source.dnsRebindingProtection,
  }
}

function mcpTarget(source: File.McpTarget, context: Context): McpTarget {
  const { name, stdio, openapi, legacy, minIdle } = source
  if (stdio !== undefined)
    return {
      name,
      connection: child(stdio),
      policies: {},
      ...(legacy && { legacy }),
      ...(minIdle !== undefined && { minIdle }),
    }
  const [address, ownPath] =
    openapi === undefined
      ? source.sse === undefined
        ? ([source.mcp ?? {}, defaults.mcp.path] as const)
        : ([source.sse, defaults.mcp.ssePath] as const)
      : ([openapi, ''] as const)
  const { destination, path, isEncrypted } = reach(address, ownPath)
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
  return { name, connection, policies, ...(legacy && { legacy }) }
}

function child({ cmd, args, env, clear_env }: NonNullable<File.McpTarget['stdio']>): McpStdio {
  return { kind: 'stdio', command: cmd, args: args ?? [], env: env ?? {}, clearEnv: clear_env ?? false }
}

/** The fields with the address of a server. */
type TargetAddress = Pick<
  NonNullable<File.McpTarget['mcp']>,
  'host' | 'port' | 'path' | 'backend' | 'service'
>

interface Reach {
  readonly destination: SimpleBackend
  readonly path: string
  readonly isEncrypted: boolean
}

function reach({ host = '', port, path = '', backend, service }: TargetAddress, usualPath: string): Reach {
  if (service !== undefined) {
    const destination = { kind: 'service', name: serviceKey(service), port: service.port } as const
    return { destination, path: path || usualPath, isEncrypted: false }
  }
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
