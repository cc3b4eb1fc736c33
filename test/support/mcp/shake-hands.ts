import assert from 'node:assert/strict'
import type { Fault } from '../../../src/model/fault.ts'
import type { Behalf, Wire } from '../../../src/upstream/mcp/wire.ts'
import { WireRecorder } from './wire-recorder.ts'

/** Begins a session over a wire, as a client does that can be asked. */
export const shakeHands = async (wire: Wire, behalf: Behalf, revision: string): Promise<void> => {
  const recorder = new WireRecorder()
  const params = {
    protocolVersion: revision,
    capabilities: { elicitation: {}, sampling: {} },
    clientInfo: { name: 'test', version: '1' },
  }
  wire.call({ method: 'initialize', params }, behalf, recorder)
  const { outcome, fault } = await recorder.over
  assert.ok(outcome && 'result' in outcome, fault?.message ?? JSON.stringify(outcome))
  assert.equal(outcome.result.protocolVersion, revision)
  wire.agreed(revision)
  const missed = await new Promise<Fault | undefined>((taken) =>
    wire.notify({ method: 'notifications/initialized' }, behalf, taken),
  )
  assert.equal(missed, undefined)
}
