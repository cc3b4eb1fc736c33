import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { McpCall } from '../../../../src/upstream/mcp/transport.ts'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { logLine, progressOn, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents, respondJson, startScripted } from '../../../support/mcp/scripted-server.ts'

test('progress over streamable HTTP', async (t) => {
  const slow: McpCall = {
    method: 'tools/call',
    params: { name: 'slow', _meta: { progressToken: 'mine', more: 1 } },
  }

  await t.test('has the token of the client, though the server got another', async () => {
    await using server = await startScripted(({ body }, response) => {
      respondEvents(response, progressOn(body.id), progressOn('mine'), progressOn(77), resultOf(body.id))
      response.end()
    })
    const { wire: transport, call } = openStreamable(server)
    const recorder = await call(slow).over
    assert.deepEqual(server.requests[0]!.body.params, { name: 'slow', _meta: { progressToken: 1, more: 1 } })
    assert.deepEqual([recorder.messages, transport.skipped], [[progressOn('mine')], 2])
  })

  await t.test('finds its call among others with the same token, even on a standalone stream', async () => {
    const { promise: streaming, resolve } = Promise.withResolvers<ServerResponse>()
    await using server = await startScripted(({ method }, response) => {
      if (method === 'GET') {
        respondEvents(response)
        resolve(response)
      }
    })
    const { call, listen, wire: transport } = openStreamable(server)
    const listener = listen()
    const [first, second] = [call(slow), call(slow)]
    await server.request(3)
    respondEvents(await streaming, progressOn(2), progressOn('1'), logLine('for nobody'))
    await listener.has(1)
    assert.deepEqual([first.messages, second.messages], [[progressOn('mine')], [progressOn('mine')]])
    assert.deepEqual(listener.messages, [logLine('for nobody')])
    transport.close(undefined)
  })

  await t.test('of a task continues after the response of its call', async () => {
    const { promise: streaming, resolve } = Promise.withResolvers<ServerResponse>()
    await using server = await startScripted(({ method, body }, response) => {
      if (method === 'POST') respondJson(response, resultOf(body.id, { task: { taskId: 't' } }))
      else {
        respondEvents(response)
        resolve(response)
      }
    })
    const { call, listen, wire: transport } = openStreamable(server)
    const listener = listen()
    await call(slow).over
    respondEvents(await streaming, progressOn(1))
    await listener.has(1)
    assert.deepEqual(listener.messages, [progressOn('mine')])
    transport.close(undefined)
  })
})
