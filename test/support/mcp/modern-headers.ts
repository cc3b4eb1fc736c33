import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import { everythingTools } from './everything-tools.ts'

/** The parameter that `Mcp-Name` repeats. */
const nameOf: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** @returns The problem of header fields that repeat the body in 2026-07-28; undefined if they match. */
export const headerMismatch = (headers: IncomingHttpHeaders, request: JsonRpcRequest): string | undefined => {
  const params = request.params ?? {}
  const meta = params._meta as JsonObject | undefined
  const version = meta?.['io.modelcontextprotocol/protocolVersion']
  if (headers['mcp-protocol-version'] === undefined) return 'MCP-Protocol-Version is missing'
  if (version !== undefined && headers['mcp-protocol-version'] !== version)
    return 'MCP-Protocol-Version does not agree with the body'
  if (headers['mcp-method'] !== request.method) return 'Mcp-Method does not agree with the body'
  const field = nameOf[request.method]
  const name = field === undefined ? undefined : params[field]
  if (typeof name === 'string' && decoded(headers['mcp-name']) !== name)
    return 'Mcp-Name does not agree with the body'
  return request.method === 'tools/call' ? parameterMismatch(headers, params) : undefined
}

const parameterMismatch = (headers: IncomingHttpHeaders, params: JsonObject): string | undefined => {
  const tool = everythingTools.find(({ name }) => name === params.name)
  const properties = (tool?.inputSchema.properties ?? {}) as Record<string, JsonObject>
  const args = (params.arguments ?? {}) as JsonObject
  for (const [property, schema] of Object.entries(properties)) {
    const suffix = schema['x-mcp-header']
    if (typeof suffix !== 'string') continue
    const value = args[property]
    const said = decoded(headers[`mcp-param-${suffix.toLowerCase()}`])
    if (said !== written(value)) return `Mcp-Param-${suffix} does not agree with the body`
  }
  return undefined
}

/** The encoding of a parameter in a field. */
const written = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? undefined
      : JSON.stringify(value)

const encoding = /^=\?base64\?(.*)\?=$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @returns The value of a field; null if its encoding is invalid. */
const decoded = (field: string | string[] | undefined): string | null | undefined => {
  if (typeof field !== 'string') return undefined
  const inner = encoding.exec(field)?.[1]
  if (inner === undefined) return field
  return base64.test(inner) ? Buffer.from(inner, 'base64').toString() : null
}
