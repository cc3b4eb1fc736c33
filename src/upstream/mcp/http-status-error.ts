import { Fault } from '../../model/fault.ts'
import type { Headers } from '../../model/headers.ts'

/** An MCP server answered with an HTTP error. What it said may go to the client as it is. */
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
