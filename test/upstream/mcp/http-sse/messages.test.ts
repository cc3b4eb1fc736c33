import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { ENDPOINT, openLegacySse, startLegacySse } from '../../../support/mcp/open-legacy-sse.ts'
import { ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents, startScripted } from '../../../support/mcp/scripted-server.ts'

test('messages of legacy SSE', async (t) => {
  await t.test('are sent to the endpoint of the stream, and responses arrive on the stream', async () => {
    await using server = await startLegacySse()
    using to = openLegacySse(server)
    assert.deepEqual((await to.call(ping).over).outcome, { result: { ok: true } })
    to.wire.agreed('2024-11-05')
    assert.equal(await to.notify('notifications/initialized'), undefined)
    const [stream, post, note] = server.requests
    assert.deepEqual(
      [stream!.method, stream!.url, stream!.headers.accept, stream!.headers['x-team']],
      ['GET', '/base/sse?tenant=1', 'text/event-stream', 'red'],
    )
    assert.deepEqual(
      [post!.method, post!.url, post!.headers['content-type'], post!.headers['mcp-session-id'], post!.body],
      [
        'POST',
        '/messages?session=1',
        'application/json',
        undefined,
        { jsonrpc: '2.0', id: 1, method: 'ping' },
      ],
    )
    assert.equal(note!.headers['mcp-protocol-version'], '2024-11-05')
    assert.equal(server.requests.filter(({ method }) => method === 'GET').length, 1)
    assert.equal(to.wire.sessionId, undefined)
  })

  await t.test('wait for the endpoint', async () => {
    const streams: ServerResponse[] = []
    await using server = await startScripted(({ method, body }, response) => {
      if (method === 'GET') {
        streams.push(response)
        respondEvents(response, ': not yet')
      } else {
        response.writeHead(202).end()
        respondEvents(streams[0]!, resultOf(body.id, { n: body.id }))
      }
    })
    using to = openLegacySse(server)
    const calls = [to.call(ping), to.call(ping)]
    await server.request(1)
    assert.equal(server.requests.length, 1)
    respondEvents(streams[0]!, ENDPOINT)
    const outcomes = (await Promise.all(calls.map(({ over }) => over))).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, [{ result: { n: 1 } }, { result: { n: 2 } }])
  })

  await t.test('are refused when too many are pending', async () => {
    await using server = await startScripted((_, response) => respondEvents(response))
    using to = openLegacySse(server, { waiting: 2 })
    const calls = [to.call(ping), to.call(ping), to.call(ping)]
    const { fault } = await calls[2]!.over
    assert.deepEqual([fault?.code, fault?.status], ['mcp_too_many_waiting', 503])
    // A cancelled one makes room, and is never sent.
    calls[0]!.giveUp()
    const fourth = to.call(ping)
    to.wire.close()
    assert.equal((await fourth.over).fault?.code, 'mcp_session_closed')
    assert.equal(calls[0]!.ends, 0)
  })

  await t.test('may be refused one by one', async () => {
    await using server = await startScripted(({ method }, response) => {
      if (method === 'GET') respondEvents(response, ENDPOINT)
      else response.writeHead(413, { 'x-why': 'size' }).end('too large')
    })
    using to = openLegacySse(server)
    const { fault } = await to.call(ping).over
    assert.deepEqual([fault?.code, fault?.status], ['mcp_server_refused', 413])
    assert.equal((await to.notify('x'))?.status, 413)
    assert.equal(to.wire.closed, undefined)
  })
})
