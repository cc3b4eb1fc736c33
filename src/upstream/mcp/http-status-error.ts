import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'

/** An MCP server responded with an HTTP error. Its content may go to the client unchanged. */
export class ServerRefused extends Fault {
  readonly headers: Headers
  readonly body: Buffer

  constructor(target: string, status: number, headers: Headers, body: Buffer) {
    super('mcp_server_refused', `mcp: target ${target} answered with status ${status}`, {
      status,
      reason: 'MCP',
    })
    this.headers = headers
    this.body = body
  }
}
