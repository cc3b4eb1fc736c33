import type { JsonObject } from '../json-rpc/message.ts'
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
import { readMeta } from './meta.ts'

export { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'

/** Fields of a request, by lower-case name. */
export interface Fields {
  get(name: string): string | undefined
}

/** A field that says something else than the message, or is missing. */
export interface HeaderMismatch {
  /** In the spelling of the specification. */
  readonly header: string
  readonly message: string
}

/** The fields that mirror a request: name, value, name, value …. */
export const standardHeaders = (method: string, params: JsonObject | undefined): string[] => {
  const fields = ['mcp-method', encodeHeaderValue(method)]
  const name = nameOf(method, params)
  if (name !== undefined) fields.push('mcp-name', encodeHeaderValue(name))
  return fields
}

/**
 * Compares the fields of a request with the message, for revisions without sessions: whoever looks at the fields only has
 * to see what is done. The message counts, and what it lacks is left to those who check it.
 */
export const mismatchedHeader = (
  headers: Fields,
  message: { readonly method: string; readonly params?: JsonObject | undefined },
): HeaderMismatch | undefined => {
  const { method, params } = message
  const version = headers.get('mcp-protocol-version')
  const { version: own } = readMeta(params)
  if (version === undefined) return missing('MCP-Protocol-Version')
  if (own !== undefined && version !== own) return differs('MCP-Protocol-Version', version, own)

  const methodField = headers.get('mcp-method')
  if (methodField === undefined) return missing('Mcp-Method')
  if (methodField !== method) return differs('Mcp-Method', methodField, method)

  const name = nameOf(method, params)
  if (name === undefined) return undefined
  const nameField = headers.get('mcp-name')
  // The extension for tasks asks for the field as well, but not all clients know.
  if (nameField === undefined) return method.startsWith('tasks/') ? undefined : missing('Mcp-Name')
  const said = decodeHeaderValue(nameField)
  if (said === undefined) return invalid('Mcp-Name')
  return said === name ? undefined : differs('Mcp-Name', said, name)
}

const nameOf = (method: string, params: JsonObject | undefined): string | undefined => {
  const name = mirrored(method, params)
  return typeof name === 'string' ? name : undefined
}

const mirrored = (method: string, params: JsonObject | undefined): unknown => {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return params?.name
    case 'resources/read':
      return params?.uri
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return params?.taskId
    default:
      return undefined
  }
}

const missing = (header: string): HeaderMismatch => ({
  header,
  message: `${header} header/body mismatch: the header is missing`,
})

const invalid = (header: string): HeaderMismatch => ({
  header,
  message: `${header} header/body mismatch: the header has invalid characters`,
})

const differs = (header: string, said: string, meant: string): HeaderMismatch => ({
  header,
  message: `${header} header/body mismatch: the header says '${excerpt(said)}', the body '${excerpt(meant)}'`,
})

/** Whoever sent a long name knows it. */
const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
