import type { McpCall } from '../../../src/upstream/mcp/transport.ts'

/** A call without options. */
export const ping: McpCall = { method: 'ping' }

/** The text of a result, as a value. */
export const resultOf = (id: unknown, result: object = { ok: true }) => ({ jsonrpc: '2.0', id, result })

/** A log notification, the simplest message of a server. */
export const logLine = (data: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
})

/** A progress notification. */
export const progressOn = (progressToken: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: 1 },
})
