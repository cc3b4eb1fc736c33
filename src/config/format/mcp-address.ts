import type { Complaint } from './complaint.ts'
import { httpUrl } from './url.ts'

/** Where an MCP server is, as its address says. */
export interface McpAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Path and query. */
  readonly path: string
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
 * @param usualPath Where there is none.
 * @example
 * parseMcpAddress('https://a.example', '/mcp') // { host: 'a.example', port: 443, isEncrypted: true, path: '/mcp' }
 */
export const parseMcpAddress = (text: string, usualPath: string): McpAddress => {
  const written = withScheme(text)
  const { protocol, hostname, port, pathname, search } = new URL(written)
  const isEncrypted = protocol === 'https:'
  // A URL always has a path; whether one was written shows in the text only.
  const hasPath = /:\/\/[^/?]*\//.test(written)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? 443 : 80) : Number(port),
    isEncrypted,
    path: (hasPath ? pathname : usualPath) + search,
  }
}

const withScheme = (text: string): string => (text.includes('://') ? text : `http://${text}`)
