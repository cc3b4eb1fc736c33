import type { Complaint } from './complaint.ts'
import { httpUrl } from './url.ts'

/** Where an MCP server is, as it was written. */
export interface McpAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Path and query; undefined if none was written. */
  readonly path: string | undefined
}

/** What is wrong with an address that stands alone: `host`, `host:port`, or a URL. */
export const mcpAddress = (text: string): Complaint | undefined => {
  const written = withScheme(text)
  if (/^https?:$/.test(URL.parse(written)?.protocol ?? '')) return httpUrl(written)
  return { expectation: 'must be an address such as http://localhost:3001/mcp, or a host' }
}

/**
 * Takes such an address apart.
 *
 * @example
 * parseMcpAddress('https://mcp.example.com') // { host: 'mcp.example.com', port: 443, isEncrypted: true, path: undefined }
 */
export const parseMcpAddress = (text: string): McpAddress => {
  const written = withScheme(text)
  const { protocol, hostname, port, pathname, search } = new URL(written)
  const isEncrypted = protocol === 'https:'
  // A URL always has a path; whether one was written shows in the text only.
  const hasPath = written.includes('/', written.indexOf('://') + 3)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? 443 : 80) : Number(port),
    isEncrypted,
    path: hasPath ? pathname + search : undefined,
  }
}

const withScheme = (text: string): string => (text.includes('://') ? text : `http://${text}`)
