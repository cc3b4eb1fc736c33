import { Fault } from '../../../model/exchange/fault.ts'

/** The server's stream ended before the response, and could not be resumed. */
export const streamCut = (server: string, cause?: unknown): Fault =>
  new Fault('mcp_stream_cut', `mcp: target ${server} broke off before it had answered`, {
    status: 502,
    reason: 'MCP',
    cause,
  })

/** A message of the server exceeds the limit. */
export const messageTooLarge = (server: string, limitBytes: number): Fault =>
  new Fault(
    'mcp_message_too_large',
    `mcp: target ${server} sent a message beyond the limit of ${limitBytes} bytes`,
    { status: 502, reason: 'MCP' },
  )

/** The server's response is malformed; `what` says why. */
export const responseMalformed = (server: string, what: string, cause?: unknown): Fault =>
  new Fault('mcp_server_malformed', `mcp: target ${server} ${what}`, { status: 502, reason: 'MCP', cause })

/** The gateway ended the session. */
export const sessionClosed = (server: string): Fault =>
  new Fault('mcp_session_closed', `mcp: the session with target ${server} was ended`, {
    status: 503,
    reason: 'MCP',
  })

/** A server of HTTP+SSE sent no `endpoint` event. */
export const endpointMissing = (server: string, afterMs: number): Fault =>
  new Fault('mcp_endpoint_missing', `mcp: target ${server} named no endpoint within ${afterMs} ms`, {
    status: 504,
    reason: 'MCP',
  })

/** Too many messages wait for the `endpoint` event. */
export const tooManyWaiting = (server: string): Fault =>
  new Fault('mcp_too_many_waiting', `mcp: too many messages wait for target ${server}`, {
    status: 503,
    reason: 'MCP',
  })
