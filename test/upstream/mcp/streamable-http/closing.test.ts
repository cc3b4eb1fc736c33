import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { ping, resultOf } from '../../../support/mcp/messages.ts'
import {
  respondEvents,
  respondJson,
  type Script,
  startScripted,
} from '../../../support/mcp/scripted-server.ts'

const answering: Script = ({ body }, response) => respondJson(response, resultOf(body.id))

test('closing streamable HTTP', async (t) => {
  await t.test('ends the session, the calls and the stream, once', async () => {
    await using server = await startScripted(({ method }, response) => {
      if (method === 'DELETE') response.writeHead(405).end()
      else respondEvents(response)
    })
    const {
      wire: transport,
      behalf: context,
      call,
      listen,
      notify,
    } = openStreamable(server, {
      sessionId: 's',
      revision: '2025-06-18',
    })
    const [open1, listener] = [call(ping), listen()]
    await server.request(2)
    transport.close(context)
    transport.close(context)
    const { method, headers } = await server.request(3)
    assert.deepEqual(
      [method, headers['mcp-session-id'], headers['mcp-protocol-version']],
      ['DELETE', 's', '2025-06-18'],
    )
    assert.deepEqual([open1.fault?.code, open1.fault?.status], ['mcp_session_closed', 503])
    assert.deepEqual([listener.ends, listener.fault], [1, undefined])
    await Promise.all(server.requests.slice(0, 2).map(({ gone }) => gone))
    assert.equal((await call(ping).over).fault?.code, 'mcp_session_closed')
    assert.equal((await notify('x'))?.code, 'mcp_session_closed')
    assert.equal((await listen().over).fault, undefined)
    assert.equal(server.requests.length, 3)
  })

  await t.test(
    'sends nothing to a server without a session, of the newer revision, or without a principal',
    async () => {
      await using server = await startScripted(answering)
      for (const [options, isNamed] of [
        [{}, true],
        [{ era: 'modern', sessionId: 's' }, true],
        [{ sessionId: 's' }, false],
      ] as const) {
        const { wire: transport, behalf: context } = openStreamable(server, options)
        transport.close(isNamed ? context : undefined)
      }
      await openStreamable(server).call(ping).over
      assert.deepEqual(
        server.requests.map(({ method }) => method),
        ['POST'],
      )
    },
  )
})
