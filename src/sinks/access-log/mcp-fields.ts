import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'
import { hideSecrets, redactText, redactUrl } from '../../model/trace/redact.ts'
import { sessionDigest } from '../../protocols/mcp/session-digest.ts'
import type { LogLineFields } from './line.ts'

/** Names of the fields, in order. */
export const mcpLogFields = [
  'mcp.method.name',
  'mcp.target',
  'mcp.resource.type',
  'mcp.resource.uri',
  'gen_ai.tool.name',
  'gen_ai.prompt.name',
  'mcp.session.id',
  'mcp.error.code',
  'mcp.error.message',
] as const

/**
 * Writes the attributes of an MCP request. Clients and servers choose most of them, so texts are truncated and
 * redacted.
 */
export const writeMcp = (
  line: LogLineFields,
  attributes: McpAttributes,
  secrets: readonly string[] = [],
): void => {
  const { methodName, kind, resource, tool, prompt, sessionId, error } = attributes
  const shown = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : shortened(hideSecrets(text, secrets))
  line.text('mcp.method.name', shown(methodName))
  line.text('mcp.target', attributes.target)
  line.text('mcp.resource.type', kind)
  line.text('mcp.resource.uri', shown(resource?.name === undefined ? undefined : redactUrl(resource.name)))
  line.text('gen_ai.tool.name', shown(tool?.name))
  line.text('gen_ai.prompt.name', shown(prompt?.name))
  // The id itself would let readers of the log use the session.
  if (sessionId !== undefined) line.text('mcp.session.id', sessionDigest(sessionId))
  if (!error) return
  line.number('mcp.error.code', error.code)
  line.text('mcp.error.message', shown(redactText(error.message)))
}

const shortened = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text

/** Keeps lines readable, because clients choose the names. */
const MAX_LENGTH = 256
