import assert from 'node:assert/strict'
import type { Fault } from '../../../src/model/exchange/fault.ts'
import type { RequestContext, Transport } from '../../../src/upstream/mcp/transport.ts'
import { TransportRecorder } from './transport-recorder.ts'

/** Begins a session over a transport, as a client that supports requests of the server. */
export const initializeTransport = async (
  transport: Transport,
  context: RequestContext,
  revision: string,
): Promise<void> => {
  const recorder = new TransportRecorder()
  const params = {
    protocolVersion: revision,
    capabilities: { elicitation: {}, sampling: {} },
    clientInfo: { name: 'test', version: '1' },
  }
  transport.call({ method: 'initialize', params }, context, recorder)
  const { outcome, fault } = await recorder.over
  assert.ok(outcome && 'result' in outcome, fault?.message ?? JSON.stringify(outcome))
  assert.equal(outcome.result.protocolVersion, revision)
  transport.agreed(revision)
  const missed = await new Promise<Fault | undefined>((onSent) =>
    transport.notify({ method: 'notifications/initialized' }, context, onSent),
  )
  assert.equal(missed, undefined)
}
