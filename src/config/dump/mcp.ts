import type { McpBackend, McpOpenApi, McpTarget } from '../../model/mcp.ts'
import type { McpTargetStatus } from '../../model/mcp-status.ts'
import type { SimpleBackend } from '../../model/policies.ts'
import { isNamedSecret } from '../../model/redact-value.ts'
import { hideSecrets, isSensitiveParameter, redactText, redacted } from '../../model/redact.ts'
import { shownPolicies } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** How it stands with a target of a backend; undefined if nothing is known of it. */
export type McpStatusOf = (backendKey: string, target: string) => McpTargetStatus | undefined

/** MCP servers as dumps show them, named as in the file, and how it stands with each. */
export function dumpMcp(
  backend: McpBackend,
  hiding: Hiding,
  statusOf: (target: string) => McpTargetStatus | undefined = () => undefined,
): Shown {
  const {
    targets,
    statefulMode,
    prefixMode,
    maxNameLength,
    failureMode,
    partialAfterMs,
    hangUpAfterMs,
    dnsRebindingProtection,
  } = backend
  return {
    targets: targets.map((target) => dumpTarget(target, hiding, statusOf(target.name))),
    statefulMode,
    prefixMode,
    maxNameLength,
    failureMode,
    ...(partialAfterMs === undefined ? {} : { partialAfter: `${partialAfterMs}ms` }),
    ...(hangUpAfterMs === undefined ? {} : { hangUpAfter: `${hangUpAfterMs}ms` }),
    ...(dnsRebindingProtection === undefined ? {} : { dnsRebindingProtection }),
  }
}

function dumpTarget(
  { name, connection, policies }: McpTarget,
  hiding: Hiding,
  status: McpTargetStatus | undefined,
): Shown {
  return {
    name,
    ...dumpConnection(connection, hiding),
    ...shownPolicies(policies, hiding),
    ...(status && { status: dumpStatus(status, hiding) }),
  }
}

function dumpStatus(status: McpTargetStatus, hiding: Hiding): Shown {
  const { state, error, sinceMs, revision, legacy, modern, children, collisions } = status
  const eras = { ...(legacy !== undefined && { legacy }), ...(modern !== undefined && { modern }) }
  return {
    state,
    since: new Date(sinceMs).toISOString(),
    ...(error === undefined ? {} : { error: shownText(error, hiding) }),
    ...(revision === undefined ? {} : { revision }),
    ...(Object.keys(eras).length === 0 ? {} : { eras }),
    ...(children === undefined ? {} : { children }),
    ...(collisions === undefined ? {} : { collisions }),
  }
}

function dumpConnection(connection: McpTarget['connection'], hiding: Hiding): Shown {
  if (connection.kind === 'stdio') {
    const { command, args, env, clearEnv } = connection
    const variables = Object.entries(env).map(([name, value]) => [
      name,
      isNamedSecret(name, value, hiding.redaction) ? redacted : shownText(value, hiding),
    ])
    return {
      stdio: {
        cmd: shownText(command, hiding),
        args: args.map((arg, i) => shownArgument(arg, args[i - 1], hiding)),
        env: Object.fromEntries(variables) as Shown,
        clear_env: clearEnv,
      },
    }
  }
  const place = placeOf(connection.destination)
  if (connection.kind === 'openapi')
    return {
      openapi: { ...place, path: connection.prefix, schema: dumpDocument(connection.document, hiding) },
    }
  return {
    [connection.kind === 'http' ? 'mcp' : 'sse']: { ...place, path: shownText(connection.path, hiding) },
  }
}

function placeOf(destination: SimpleBackend): Shown {
  if (destination.kind === 'host') return { ...destination.target }
  const { kind, ...rest } = destination
  return kind === 'backend' ? { backend: destination.key } : rest
}

/** Documents can be large: it is shown which one it is. */
function dumpDocument(document: McpOpenApi['document'], hiding: Hiding): Shown {
  if ('url' in document) return { url: shownText(document.url, hiding) }
  const { openapi, swagger, info } = (document.parsed ?? {}) as Readonly<Record<string, unknown>>
  const version = openapi ?? swagger
  return { ...(version === undefined ? {} : { openapi: version }), ...(info === undefined ? {} : { info }) }
}

/** A text that may have a credential in it. */
function shownText(text: string, { secrets }: Hiding): string {
  return redactText(hideSecrets(text, secrets))
}

/** Commands take credentials as `--token=x` and as `--token x`. */
function shownArgument(argument: string, before: string | undefined, hiding: Hiding): string {
  const [, option = '', value] = OPTION.exec(argument) ?? []
  if (isSensitiveParameter(option) && value !== undefined)
    return argument.slice(0, argument.length - value.length) + redacted
  const [, last = '', own] = OPTION.exec(before ?? '') ?? []
  const isValue = own === undefined && isSensitiveParameter(last) && !argument.startsWith('-')
  return isValue ? redacted : shownText(argument, hiding)
}

const OPTION = /^--?([\w.-]+)(?:=([^]*))?$/
