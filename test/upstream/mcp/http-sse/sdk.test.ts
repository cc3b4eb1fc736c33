import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpSseTransport } from '../../../../src/upstream/mcp/http-sse/transport.ts'
import { startEverything } from '../../../support/mcp/everything-server.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { initializeTransport } from '../../../support/mcp/initialize-transport.ts'
import { TransportRecorder } from '../../../support/mcp/transport-recorder.ts'
import { until } from '../../../support/stream-body.ts'

test('legacy SSE with the official server', async (t) => {
  await t.test('has a session: calls, progress, requests, notifications and the end', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const context = requestContextTo(server.origin)
    const transport = new HttpSseTransport('sdk', '/sse')
    await initializeTransport(transport, context, '2024-11-05')
    const listener = new TransportRecorder()
    transport.listen(context, listener)
    const use = async (name: string) => {
      const recorder = new TransportRecorder((asked) => {
        if ('id' in asked)
          transport.respond(asked.id, { result: { action: 'decline' } }, context, () => undefined)
      })
      const params = { name, arguments: { message: 'Who?' }, _meta: { progressToken: 7 } }
      transport.call({ method: 'tools/call', params }, context, recorder)
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
    transport.close()
    await until(() => server.legacy.sessions === 0, 'the end of the session')
    assert.equal((await listener.over).fault, undefined)
  })
})
