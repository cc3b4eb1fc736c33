import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { exchange } from '../../src/testing/exchange.ts'
import type { Registry } from '../../src/upstream/registry.ts'
import { beginCall, callUpstream } from '../support/call-upstream.ts'
import { commitService, serviceAt, textOf, withLongConnects } from '../support/changing-service.ts'
import { streamBody } from '../support/stream-body.ts'
import { httpServer, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** Responds to the first request of a connection, and resets it when it has read a second one. */
const resetsSecond = (onSecond: () => void): Promise<UpstreamServer> =>
  rawServer((socket) => {
    let received = ''
    let responses = 0
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!received.endsWith(responses === 0 ? '\r\n\r\n' : '\r\n0\r\n\r\n')) return
      received = ''
      if (responses++ === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      else {
        onSecond()
        socket.resetAndDestroy()
      }
    })
  })

const echoServer = () =>
  httpServer((req, res) => {
    void text(req).then((body) => res.end(`got ${body}`))
  })

/** A request over a connection that turns out to be stale; its body streams in. */
const putOverStale = async (registry: Registry, gone: UpstreamServer, all: readonly UpstreamServer[]) => {
  const first = await callUpstream(commitService(registry, serviceAt([gone]), {}), exchange())
  assert.equal(first.response.status, 200)
  await setImmediate()
  const x = exchange({ method: 'PUT', body: streamBody(['abc', 'def']) })
  x.upstream.pinnedTo = `127.0.0.1:${gone.port}`
  return textOf(beginCall(commitService(registry, serviceAt(all), {}), x))
}

test('a request with a streamed body whose connection was stale', async (t) => {
  await t.test('is sent to another endpoint with all of it if its own refuses connections now', async () => {
    await using open = await echoServer()
    const gone = await resetsSecond(() => void gone[Symbol.asyncDispose]())
    await withLongConnects({}, async (registry) => {
      assert.equal(await putOverStale(registry, gone, [gone, open]), 'got abcdef')
    })
  })

  await t.test('is sent to another endpoint with all of it if its own is removed', async () => {
    await withLongConnects({}, async (registry) => {
      await using open = await echoServer()
      await using gone = await resetsSecond(() => commitService(registry, serviceAt([open]), {}))
      assert.equal(await putOverStale(registry, gone, [gone]), 'got abcdef')
    })
  })
})
