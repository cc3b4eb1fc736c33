import type { JsonObject } from '../json-rpc/message.ts'
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
import { readMeta } from './meta.ts'

export { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'

/** Headers of a request, by lower-case name. */
export interface HeaderFields {
  get(name: string): string | undefined
}

/** A header that contradicts the message, or is missing. */
export interface HeaderMismatch {
  /** In the spelling of the specification. */
  readonly header: string
  readonly message: string
}

/** The headers that mirror a request: name, value, name, value …. */
export const standardHeaders = (method: string, params: JsonObject | undefined): string[] => {
  const fields = ['mcp-method', encodeHeaderValue(method)]
  const name = nameOf(method, params)
  if (name !== undefined) fields.push('mcp-name', encodeHeaderValue(name))
  return fields
}

/**
 * Compares the headers of a request with the message, for revisions without sessions, so that intermediaries can rely
 * on headers. The message takes precedence; its own validity is checked elsewhere.
 */
export const mismatchedHeader = (
  headers: HeaderFields,
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
  // The tasks extension requires the header as well, but not all clients send it.
  if (nameField === undefined) return method.startsWith('tasks/') ? undefined : missing('Mcp-Name')
  const value = decodeHeaderValue(nameField)
  if (value === undefined) return invalid('Mcp-Name')
  return value === name ? undefined : differs('Mcp-Name', value, name)
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

const differs = (header: string, value: string, meant: string): HeaderMismatch => ({
  header,
  message: `${header} header/body mismatch: the header says '${excerpt(value)}', the body '${excerpt(meant)}'`,
})

/** Short enough for an error message: the sender has the whole name. */
const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
