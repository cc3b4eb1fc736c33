import { Fault } from '../../../model/exchange/fault.ts'

/** A server's `input_required` could not be parsed. */
export const unreadableInput = (target: string): Fault =>
  new Fault('mcp_input_unreadable', `mcp: target ${target} asks for input in a way that cannot be read`, {
    status: 502,
    reason: 'MCP',
  })

/** A server without sessions sent a request to its client, which these revisions do not allow. */
export const inputNotPossible = (target: string, method: string): Fault =>
  new Fault(
    'mcp_input_unreadable',
    `mcp: target ${target} sent ${method} as a request of its own; in this revision it has to answer with input_required`,
    { status: 502, reason: 'MCP' },
  )

/** A server requested input too many times. */
export const tooManyRounds = (target: string, limit: number): Fault =>
  new Fault('mcp_input_rounds', `mcp: target ${target} asked for input more than ${limit} times`, {
    status: 502,
    reason: 'MCP',
  })
