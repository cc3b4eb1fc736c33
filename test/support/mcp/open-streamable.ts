import type { Fault } from '../../../src/model/fault.ts'
import { StreamableHttpWire } from '../../../src/upstream/mcp/streamable-http.ts'
import type { StreamableHttpOptions } from '../../../src/upstream/mcp/streamable-http-endpoint.ts'
import type { Call } from '../../../src/upstream/mcp/wire.ts'
import { behalfTo } from './send-to.ts'
import { WireRecorder } from './wire-recorder.ts'

/** Fast enough for tests, and small enough to be reached. */
const limits = {
  messageBytes: 4_096,
  refusalBytes: 64,
  restMs: 100,
  reconnectMs: 2,
  reconnectMostMs: 8,
  reconnects: 3,
}

/** A wire to a server that was started for a test, with what it tells written down. */
export const openStreamable = (
  server: { readonly origin: string },
  options: Partial<StreamableHttpOptions> = {},
) => {
  const wire = new StreamableHttpWire('one', '/mcp?tenant=1', { era: 'legacy', limits, ...options })
  const behalf = behalfTo(server.origin, { 'x-team': 'red' })
  return {
    wire,
    behalf,
    call: (call: Call, recorder = new WireRecorder()) => {
      const giveUp = wire.call(call, behalf, recorder)
      return Object.assign(recorder, { giveUp })
    },
    listen: (recorder = new WireRecorder()) => {
      const stop = wire.listen(behalf, recorder)
      return Object.assign(recorder, { stop })
    },
    notify: (method: string) =>
      new Promise<Fault | undefined>((taken) => wire.notify({ method }, behalf, taken)),
  }
}
