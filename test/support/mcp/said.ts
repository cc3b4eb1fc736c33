import type { McpCall } from '../../../src/upstream/mcp/transport.ts'

/** A call without anything to it. */
export const ping: McpCall = { method: 'ping' }

/** The text of an answer, as a value. */
export const resultOf = (id: unknown, result: object = { ok: true }) => ({ jsonrpc: '2.0', id, result })

/** A line of a log, which is the least a server can say. */
export const logLine = (data: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
})

/** A report of progress. */
export const progressOn = (progressToken: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: 1 },
})
