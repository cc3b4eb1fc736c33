import { Fault } from '../../../../model/fault.ts'

/** A server that wants to know something said so in a way that nobody understands. */
export const unreadableInput = (target: string): Fault =>
  new Fault('mcp_input_unreadable', `mcp: target ${target} asks for input in a way that cannot be read`, {
    status: 502,
    reason: 'MCP',
  })

/** A server without sessions asks its client by a request, which has no way to be answered in these revisions. */
export const inputNotPossible = (target: string, method: string): Fault =>
  new Fault(
    'mcp_input_unreadable',
    `mcp: target ${target} sent ${method} as a request of its own; in this revision it has to answer with input_required`,
    { status: 502, reason: 'MCP' },
  )

/** A server wants to know something again and again. */
export const tooManyRounds = (target: string, limit: number): Fault =>
  new Fault('mcp_input_rounds', `mcp: target ${target} asked for input more than ${limit} times`, {
    status: 502,
    reason: 'MCP',
  })
