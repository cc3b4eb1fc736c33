import type { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/**
 * Whether a request line names RTSP, which the parser silently accepts as HTTP. Checking copies the bytes being parsed,
 * so only candidates are checked: requests of version 1.0, and the first of a connection.
 */
export const isRtsp = (req: IncomingMessage, isFirst: boolean): boolean => {
  if (req.httpVersion !== '1.0' && !isFirst) return false
  const { parser } = req.socket as Partial<Parsed>
  return parser?.getCurrentBuffer?.().includes(`${req.url ?? ''} RTSP/`, 0, 'latin1') ?? false
}

interface Parsed {
  readonly parser: { getCurrentBuffer?(): Buffer } | null
}
