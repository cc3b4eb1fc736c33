import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { logLine, ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents, respondJson, startScripted } from '../../../support/mcp/scripted-server.ts'

test('cancelling a call over streamable HTTP', async (t) => {
  await t.test('notifies a legacy server and ends the request; later messages are dropped', async () => {
    const gone = Promise.withResolvers<undefined>()
    await using server = await startScripted(({ body }, response) => {
      if (body.method === 'notifications/cancelled')
        response.writeHead(202).end(() => gone.resolve(undefined))
      else respondEvents(response, logLine('a'))
    })
    const recorder = openStreamable(server).call(ping)
    await recorder.has(1)
    recorder.giveUp()
    recorder.giveUp()
    await gone.promise
    await server.requests[0]!.gone
    assert.deepEqual(server.requests[1]!.body, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    })
    assert.deepEqual([recorder.ends, server.requests.length], [0, 2])
  })

  for (const [what, options, method] of [
    ['in the modern era', { era: 'modern' }, 'tools/call'],
    ['for a handshake', {}, 'initialize'],
  ] as const)
    await t.test(`only ends the request ${what}`, async () => {
      await using server = await startScripted((_, response) => respondEvents(response))
      const { call, notify } = openStreamable(server, options)
      const recorder = call({ method })
      const { gone } = await server.request(1)
      recorder.giveUp()
      await gone
      void notify('last')
      assert.equal((await server.request(2)).body.method, 'last')
      assert.equal(recorder.ends, 0)
    })

  await t.test('works before the response, between two connections and after the response', async () => {
    await using server = await startScripted(({ body, method }, response) => {
      if (body.method === 'quick') respondJson(response, resultOf(body.id))
      else if (body.method === 'cut') {
        respondEvents(response, 'id: 1\nretry: 60000\ndata: ', logLine('a'))
        response.end()
      } else if (body.method === 'notifications/cancelled') response.writeHead(202).end()
      assert.equal(method, 'POST')
    })
    const { call } = openStreamable(server)
    const quick = call({ method: 'quick' })
    await quick.over
    quick.giveUp()
    const early = call({ method: 'never' })
    const { gone } = await server.request(2)
    early.giveUp()
    await gone
    const cut = call({ method: 'cut' })
    await cut.has(1)
    cut.giveUp()
    const told = (await server.request(5)).body
    assert.deepEqual(told.params, { requestId: 3 })
    assert.deepEqual([quick.ends, early.ends, cut.ends], [1, 0, 0])
  })
})
