import type { Fault } from '../../../src/model/exchange/fault.ts'
import { StreamableHttpTransport } from '../../../src/upstream/mcp/streamable-http/transport.ts'
import type { StreamableHttpOptions } from '../../../src/upstream/mcp/streamable-http/endpoint.ts'
import type { McpCall } from '../../../src/upstream/mcp/transport.ts'
import { requestContextTo } from './send-to.ts'
import { TransportRecorder } from './transport-recorder.ts'

/** Fast enough for tests, and small enough to be reached. */
const limits = {
  messageBytes: 4_096,
  refusalBytes: 64,
  restMs: 100,
  reconnectMs: 2,
  reconnectMostMs: 8,
  reconnects: 3,
}

/** A transport to a test server, with its events recorded. */
export const openStreamable = (
  server: { readonly origin: string },
  options: Partial<StreamableHttpOptions> = {},
) => {
  const transport = new StreamableHttpTransport('one', '/mcp?tenant=1', { era: 'legacy', limits, ...options })
  const context = requestContextTo(server.origin, { 'x-team': 'red' })
  return {
    wire: transport,
    behalf: context,
    call: (call: McpCall, recorder = new TransportRecorder()) => {
      const abandon = transport.call(call, context, recorder)
      return Object.assign(recorder, { giveUp: abandon })
    },
    listen: (recorder = new TransportRecorder()) => {
      const stop = transport.listen(context, recorder)
      return Object.assign(recorder, { stop })
    },
    notify: (method: string) =>
      new Promise<Fault | undefined>((onSent) => transport.notify({ method }, context, onSent)),
  }
}
