import { Fault } from '../../model/fault.ts'

/** The server's stream ended before it had answered, and could not be resumed. */
export const streamCut = (server: string, cause?: unknown): Fault =>
  new Fault('mcp_stream_cut', `mcp: target ${server} broke off before it had answered`, {
    status: 502,
    reason: 'MCP',
    cause,
  })

/** A message of the server's is longer than is borne. */
export const messageTooLarge = (server: string, limitBytes: number): Fault =>
  new Fault(
    'mcp_message_too_large',
    `mcp: target ${server} sent a message beyond the limit of ${limitBytes} bytes`,
    { status: 502, reason: 'MCP' },
  )

/** The server's answer makes no sense; `what` says why. */
export const answerMalformed = (server: string, what: string, cause?: unknown): Fault =>
  new Fault('mcp_server_malformed', `mcp: target ${server} ${what}`, { status: 502, reason: 'MCP', cause })

/** The session was ended on this side. */
export const sessionClosed = (server: string): Fault =>
  new Fault('mcp_session_closed', `mcp: the session with target ${server} was ended`, {
    status: 503,
    reason: 'MCP',
  })

/** A server of the older transport did not say where it takes messages. */
export const endpointMissing = (server: string, afterMs: number): Fault =>
  new Fault('mcp_endpoint_missing', `mcp: target ${server} named no endpoint within ${afterMs} ms`, {
    status: 504,
    reason: 'MCP',
  })

/** Too many messages wait for a server to say where it takes them. */
export const tooManyWaiting = (server: string): Fault =>
  new Fault('mcp_too_many_waiting', `mcp: too many messages wait for target ${server}`, {
    status: 503,
    reason: 'MCP',
  })
