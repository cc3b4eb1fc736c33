import type { McpBackend, McpOpenApi, McpTarget } from '../../model/mcp/mcp-backend.ts'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { SimpleBackend } from '../../model/resources/policies.ts'
import { isNamedSecret } from '../../model/trace/redact-value.ts'
import { hideSecrets, isSensitiveParameter, redactText, redacted } from '../../model/trace/redact.ts'
import { dumpGroup, type DumpedEndpoint, dumpTargetUse } from './endpoints.ts'
import { type Hiding, type Printed, printedPolicies } from './value.ts'

/**
 * MCP servers as dumps print them, with the names of the file and the state of each server.
 *
 * @param statuses By the names of targets.
 */
export function dumpMcp(
  backend: McpBackend,
  hiding: Hiding,
  statuses?: ReadonlyMap<string, McpTargetStatus>,
): Printed {
  const {
    targets,
    statefulMode,
    protocolVersions,
    prefixMode,
    maxNameLength,
    failureMode,
    partialAfterMs,
    hangUpAfterMs,
    dnsRebindingProtection,
  } = backend
  return {
    targets: targets.map((target) => dumpTarget(target, hiding, statuses?.get(target.name))),
    ...(statuses && {
      endpoints: [dumpGroup(targets.map(({ name }) => dumpTargetEndpoint(name, statuses.get(name), hiding)))],
    }),
    statefulMode,
    ...(protocolVersions && { protocolVersions }),
    prefixMode,
    maxNameLength,
    failureMode,
    ...(partialAfterMs === undefined ? {} : { partialAfter: `${partialAfterMs}ms` }),
    ...(hangUpAfterMs === undefined ? {} : { hangUpAfter: `${hangUpAfterMs}ms` }),
    ...(dnsRebindingProtection === undefined ? {} : { dnsRebindingProtection }),
  }
}

function dumpTargetEndpoint(
  name: string,
  status: McpTargetStatus | undefined,
  hiding: Hiding,
): DumpedEndpoint {
  const error = status?.error
  const shown = status && { ...status, error: error === undefined ? undefined : redactedText(error, hiding) }
  return { name, endpoint: { name }, ...dumpTargetUse(shown) }
}

function dumpTarget(
  { name, connection, policies, legacy, minIdle }: McpTarget,
  hiding: Hiding,
  status: McpTargetStatus | undefined,
): Printed {
  return {
    name,
    ...dumpConnection(connection, hiding),
    ...printedPolicies(policies, hiding),
    ...(legacy === undefined ? {} : { legacy }),
    ...(minIdle === undefined ? {} : { minIdle }),
    ...(status && { status: dumpStatus(status, hiding) }),
  }
}

function dumpStatus(status: McpTargetStatus, hiding: Hiding): Printed {
  const { state, error, sinceMs, revision, legacy, modern, children, collisions, longLists } = status
  const eras = { ...(legacy !== undefined && { legacy }), ...(modern !== undefined && { modern }) }
  return {
    state,
    since: new Date(sinceMs).toISOString(),
    ...(error === undefined ? {} : { error: redactedText(error, hiding) }),
    ...(revision === undefined ? {} : { revision }),
    ...(Object.keys(eras).length === 0 ? {} : { eras }),
    ...(children === undefined ? {} : { children }),
    ...(collisions === undefined ? {} : { collisions }),
    ...(longLists === undefined ? {} : { longLists }),
  }
}

function dumpConnection(connection: McpTarget['connection'], hiding: Hiding): Printed {
  if (connection.kind === 'stdio') {
    const { command, args, env, clearEnv } = connection
    const variables = Object.entries(env).map(([name, value]) => [
      name,
      isNamedSecret(name, value, hiding.redaction) ? redacted : redactedText(value, hiding),
    ])
    return {
      stdio: {
        cmd: redactedText(command, hiding),
        args: args.map((arg, i) => redactedArgument(arg, args[i - 1], hiding)),
        env: Object.fromEntries(variables) as Printed,
        clear_env: clearEnv,
      },
    }
  }
  const address = addressOf(connection.destination)
  if (connection.kind === 'openapi')
    return {
      openapi: { ...address, path: connection.prefix, schema: dumpDocument(connection.document, hiding) },
    }
  return {
    [connection.kind === 'http' ? 'mcp' : 'sse']: { ...address, path: redactedText(connection.path, hiding) },
  }
}

function addressOf(destination: SimpleBackend): Printed {
  if (destination.kind === 'host') return { ...destination.target }
  if (destination.kind === 'backend') return { backend: destination.key }
  const { name, port } = destination
  return { service: { name, port } }
}

/** Documents can be large: only their identification is printed. */
function dumpDocument(document: McpOpenApi['document'], hiding: Hiding): Printed {
  if ('url' in document) return { url: redactedText(document.url, hiding) }
  const { openapi, swagger, info } = (document.parsed ?? {}) as Readonly<Record<string, unknown>>
  const version = openapi ?? swagger
  return { ...(version === undefined ? {} : { openapi: version }), ...(info === undefined ? {} : { info }) }
}

/** A text that may contain a credential. */
function redactedText(text: string, { secrets }: Hiding): string {
  return redactText(hideSecrets(text, secrets))
}

/** Commands take credentials as `--token=x` and as `--token x`. */
function redactedArgument(argument: string, before: string | undefined, hiding: Hiding): string {
  const [, option = '', value] = OPTION.exec(argument) ?? []
  if (isSensitiveParameter(option) && value !== undefined)
    return argument.slice(0, argument.length - value.length) + redacted
  const [, last = '', own] = OPTION.exec(before ?? '') ?? []
  const isValue = own === undefined && isSensitiveParameter(last) && !argument.startsWith('-')
  return isValue ? redacted : redactedText(argument, hiding)
}

const OPTION = /^--?([\w.-]+)(?:=([^]*))?$/
