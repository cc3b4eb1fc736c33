import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { logLine, ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents, startScripted } from '../../../support/mcp/scripted-server.ts'

test('a stream that ends before the response over streamable HTTP', async (t) => {
  await t.test('is resumed after its last event, as long as it makes progress', async () => {
    let gets = 0
    await using server = await startScripted(({ method }, response) => {
      if (method === 'POST')
        respondEvents(response, 'id: e0\nretry: 3\ndata: ', `id: e1\ndata: ${JSON.stringify(logLine('p'))}`)
      else if (++gets < 6) respondEvents(response, `id: g${gets}\ndata: ${JSON.stringify(logLine('g'))}`)
      else respondEvents(response, resultOf(server.requests[0]?.body.id))
      response.end()
    })
    const recorder = await openStreamable(server, { sessionId: 's', revision: '2025-11-25' }).call(ping).over
    assert.deepEqual([recorder.outcome, recorder.messages.length], [{ result: { ok: true } }, 6])
    const resumed = server.requests.slice(1)
    assert.deepEqual(
      resumed.map(({ headers }) => headers['last-event-id']),
      ['e1', 'g1', 'g2', 'g3', 'g4', 'g5'],
    )
    const { method, url, headers } = resumed[0]!
    assert.deepEqual(
      [
        method,
        url,
        headers.accept,
        headers['mcp-session-id'],
        headers['mcp-protocol-version'],
        headers['x-team'],
      ],
      ['GET', '/mcp?tenant=1', 'text/event-stream', 's', '2025-11-25', 'red'],
    )
  })

  await t.test('is resumed if its connection failed, and the id came without an event', async () => {
    await using server = await startScripted(({ method }, response) => {
      if (method === 'GET') respondEvents(response, resultOf(1))
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('id: e0\n\n', () => response.destroy())
      }
    })
    const recorder = await openStreamable(server).call(ping).over
    assert.deepEqual(
      [recorder.outcome, server.requests[1]!.headers['last-event-id']],
      [{ result: { ok: true } }, 'e0'],
    )
  })

  await t.test("is not resumed before the server's retry time", async () => {
    const times: number[] = []
    await using server = await startScripted(({ method }, response) => {
      times.push(performance.now())
      if (method === 'POST') respondEvents(response, 'id: e0\nretry: 60\ndata: ')
      else respondEvents(response, resultOf(1))
      response.end()
    })
    await openStreamable(server).call(ping).over
    // Timers of Node may be over a little early.
    assert.ok(times[1]! - times[0]! >= 55)
  })

  await t.test('is abandoned after the maximum number of attempts without progress', async () => {
    await using server = await startScripted((_, response) => {
      if (server.requests.length === 1) respondEvents(response, 'id: e0\ndata: ')
      else respondEvents(response)
      response.end()
    })
    const { fault } = await openStreamable(server).call(ping).over
    assert.deepEqual([fault?.code, fault?.status, server.requests.length], ['mcp_stream_cut', 502, 4])
  })

  for (const [what, options, id] of [
    ['without ids', {}, ''],
    ['in the modern era', { era: 'modern' }, 'id: e0\n'],
    ['whose id no field can hold', {}, 'id: e\x01\n'],
  ] as const)
    await t.test(`fails the call ${what}`, async () => {
      await using server = await startScripted((_, response) => {
        respondEvents(response, `${id}data: ${JSON.stringify(logLine('a'))}`)
        response.end()
      })
      const recorder = await openStreamable(server, options).call(ping).over
      assert.deepEqual(
        [recorder.fault?.code, recorder.fault?.message, recorder.messages.length, server.requests.length],
        ['mcp_stream_cut', 'mcp: target one broke off before it had answered', 1, 1],
      )
    })

  for (const [status, code] of [
    [405, 'mcp_stream_cut'],
    [400, 'mcp_stream_cut'],
    [404, 'mcp_stream_cut'],
  ] as const)
    await t.test(`fails the call with ${code} if the server responds ${status} to a resumption`, async () => {
      await using server = await startScripted(({ method }, response) => {
        if (method === 'GET') response.writeHead(status)
        else respondEvents(response, 'id: e0\ndata: ')
        response.end()
      })
      assert.equal((await openStreamable(server).call(ping).over).fault?.code, code)
    })
})
