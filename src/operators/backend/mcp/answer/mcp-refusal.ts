import { Fault, type Reason } from '../../../../model/fault.ts'
import type { McpError } from '../../../../protocols/mcp/errors.ts'
import type { ErrorObject } from '../../../../protocols/json-rpc/message.ts'

/** The gateway's own answer to an MCP request that it does not carry out. */
export class McpRefusal extends Fault {
  readonly error: ErrorObject

  constructor(code: string, { status, error }: McpError, reason: Reason = 'MCP') {
    super(code, error.message, { status, reason })
    this.error = error
  }
}

/** A server answered with a JSON-RPC error what the gateway had to ask it. */
export class ServerErred extends Fault {
  readonly error: ErrorObject

  constructor(target: string, error: ErrorObject) {
    super('mcp_server_erred', `mcp: target ${target}: ${error.message}`, { status: 502, reason: 'MCP' })
    this.error = { ...error, message: this.message }
  }
}
