import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { logLine, ping, resultOf } from '../../../support/mcp/messages.ts'
import {
  respondEvents,
  respondJson,
  type Script,
  startScripted,
} from '../../../support/mcp/scripted-server.ts'

const answering: Script = ({ body }, response) => respondJson(response, resultOf(body.id))

test('listening over streamable HTTP', async (t) => {
  await t.test('receives messages without a call, over as many connections as necessary', async () => {
    await using server = await startScripted((_, response) => {
      const n = server.requests.length
      respondEvents(response, n === 2 ? ':' : `id: e${n}\ndata: ${JSON.stringify(logLine(String(n)))}`)
      if (n < 6) response.end()
    })
    const { wire: transport, listen } = openStreamable(server, { sessionId: 's' })
    const listener = listen()
    await listener.has(5)
    assert.deepEqual(
      server.requests.map(({ method, headers }) => [
        method,
        headers['mcp-session-id'],
        headers['last-event-id'],
      ]),
      [undefined, 'e1', 'e1', 'e3', 'e4', 'e5'].map((id) => ['GET', 's', id]),
    )
    transport.close(undefined)
    await server.requests[5]!.gone
    assert.deepEqual([listener.ends, listener.fault], [1, undefined])
  })

  await t.test('ends at once if the server has no such stream, and in the newer revision', async () => {
    await using server = await startScripted((_, response) => response.writeHead(405).end())
    for (const era of ['legacy', 'modern'] as const) {
      const listener = await openStreamable(server, { era }).listen().over
      assert.deepEqual([listener.ends, listener.fault], [1, undefined])
    }
    assert.equal(server.requests.length, 1)
  })

  await t.test(
    'ends with the reason if the server refuses, is unreachable, or sends something else',
    async () => {
      await using server = await startScripted((_, response) => {
        if (server.requests.length === 1) response.writeHead(403).end()
        else respondJson(response, {})
      })
      const faults = [
        await openStreamable(server).listen().over,
        await openStreamable(server).listen().over,
      ].map(({ fault }) => fault?.code)
      assert.deepEqual(faults, ['mcp_server_refused', 'mcp_server_malformed'])
      const gone = await startScripted(answering)
      await gone[Symbol.asyncDispose]()
      assert.equal((await openStreamable(gone).listen().over).fault?.code, 'upstream_failed')
    },
  )

  await t.test('ends when the session does', async () => {
    await using server = await startScripted((_, response) => {
      if (server.requests.length > 1) response.writeHead(404)
      else respondEvents(response, logLine('a'))
      response.end()
    })
    const listener = await openStreamable(server, { sessionId: 's' }).listen().over
    assert.deepEqual([listener.fault?.status, listener.messages], [404, [logLine('a')]])
  })

  await t.test('receives the response of a call on the wrong stream', async () => {
    await using server = await startScripted(({ method }, response) => {
      respondEvents(response)
      if (method === 'POST') respondEvents(streams[0]!, resultOf(1))
      else streams.push(response)
    })
    const streams: ServerResponse[] = []
    const { call, listen, wire: transport } = openStreamable(server)
    listen()
    await server.request(1)
    assert.deepEqual((await call(ping).over).outcome, { result: { ok: true } })
    await server.requests[1]!.gone
    transport.close(undefined)
  })

  await t.test('stops without a listener, and with another one', async () => {
    await using server = await startScripted((_, response) => respondEvents(response))
    const { listen } = openStreamable(server)
    const first = listen()
    await server.request(1)
    const second = listen()
    await server.request(2)
    second.stop()
    await Promise.all(server.requests.map(({ gone }) => gone))
    assert.deepEqual([first.ends, first.fault, second.ends], [1, undefined, 0])
  })
})
