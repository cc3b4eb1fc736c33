import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LegacySseWire } from '../../../src/upstream/mcp/legacy-sse.ts'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { behalfTo } from '../../support/mcp/send-to.ts'
import { shakeHands } from '../../support/mcp/shake-hands.ts'
import { WireRecorder } from '../../support/mcp/wire-recorder.ts'
import { until } from '../../support/stream-body.ts'

test('legacy SSE with the official server', async (t) => {
  await t.test('has a session with it: calls, progress, questions, news and the end', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const behalf = behalfTo(server.origin)
    const wire = new LegacySseWire('sdk', '/sse')
    await shakeHands(wire, behalf, '2024-11-05')
    const listener = new WireRecorder()
    wire.listen(behalf, listener)
    const use = async (name: string) => {
      const recorder = new WireRecorder((asked) => {
        if ('id' in asked) wire.answer(asked.id, { result: { action: 'decline' } }, behalf, () => undefined)
      })
      const params = { name, arguments: { message: 'Who?' }, _meta: { progressToken: 7 } }
      wire.call({ method: 'tools/call', params }, behalf, recorder)
      const { outcome, messages } = await recorder.over
      assert.ok(outcome && 'result' in outcome, JSON.stringify(outcome))
      return { content: outcome.result.content, messages }
    }

    const reporting = await use('test_tool_with_progress')
    assert.deepEqual(
      reporting.messages.map(({ params }) => params?.progressToken),
      [7, 7, 7],
    )
    const asking = await use('test_elicitation')
    assert.deepEqual(
      asking.messages.map(({ method }) => method),
      ['elicitation/create'],
    )
    assert.deepEqual(asking.content, [{ type: 'text', text: 'User response: action=decline, content={}' }])

    server.hub.changed({ kind: 'tools' })
    await listener.has(1)
    assert.equal(listener.messages[0]?.method, 'notifications/tools/list_changed')

    assert.equal(server.legacy.sessions, 1)
    wire.close()
    await until(() => server.legacy.sessions === 0, 'the end of the session')
    assert.equal((await listener.over).fault, undefined)
  })
})
