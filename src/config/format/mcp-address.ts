import type { Complaint } from './format-check.ts'
import { httpUrl } from './url.ts'

/** The address of an MCP server, parsed. */
export interface McpAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Path and query. */
  readonly path: string
}

/** Checks an MCP server's address: `host`, `host:port`, or a URL. */
export const mcpAddress = (text: string): Complaint | undefined => {
  const written = withScheme(text)
  if (/^https?:$/.test(URL.parse(written)?.protocol ?? '')) return httpUrl(written)
  return { expectation: 'must be an address such as http://localhost:3001/mcp, or a host' }
}

/**
 * Parses such an address.
 *
 * @param usualPath The path if the address has none.
 * @example
 * parseMcpAddress('https://a.example', '/mcp') // { host: 'a.example', port: 443, isEncrypted: true, path: '/mcp' }
 */
export const parseMcpAddress = (text: string, usualPath: string): McpAddress => {
  const written = withScheme(text)
  const { protocol, hostname, port, pathname, search } = new URL(written)
  const isEncrypted = protocol === 'https:'
  // A URL always has a path; only the text shows whether one was written.
  const hasPath = /:\/\/[^/?]*\//.test(written)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? 443 : 80) : Number(port),
    isEncrypted,
    path: (hasPath ? pathname : usualPath) + search,
  }
}

const withScheme = (text: string): string => (text.includes('://') ? text : `http://${text}`)
