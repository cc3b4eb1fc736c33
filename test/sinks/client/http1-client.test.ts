import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { once } from 'node:events'
import { test } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { ClientSink } from '../../../src/sinks/client/http1-client.ts'
import { exchange, ManualBody } from '../../../src/testing/index.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** Serves one request of `client`, and returns its response. */
const responseOn = async (
  client: Duplex,
  server: ReturnType<typeof createServer>,
): Promise<ServerResponse> => {
  client.write(REQUEST)
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse]
  return res
}

/** Commits a reply to a response, and returns the sink of its body. */
const sinkOn = (res: ServerResponse, lengthBytes?: number): BodySink => {
  const x = exchange()
  const sink = new ClientSink(x, res, () => undefined)
  x.reply = new Reply(200, Headers.of({}), new ManualBody(lengthBytes), 'Upstream')
  sink.next(x)
  return sink
}

/** Writes a leased chunk, and returns whether it was released and whether more may follow. */
const lend = (sink: BodySink, chunk: Buffer): { back: boolean; goOn: boolean } => {
  let back = false
  const goOn = sink.write(chunk, {
    release: (given) => {
      assert.equal(given, chunk)
      back = true
    },
  })
  return { back, goOn }
}

test('a leased chunk in the client sink', async (t) => {
  for (const lengthBytes of [50_000_000, undefined])
    await t.test(
      `is released once it was written, and not while it is buffered (length ${lengthBytes})`,
      async () => {
        const server = createServer().listen(0, '127.0.0.1')
        await once(server, 'listening')
        const client = connect((server.address() as { port: number }).port, '127.0.0.1').pause()
        const sink = sinkOn(await responseOn(client, server), lengthBytes)
        const chunk = Buffer.alloc(65_536, 'x')
        assert.deepEqual(lend(sink, chunk), { back: true, goOn: true })
        // The client does not read: sooner or later a chunk does not fit any more.
        let last = { back: true, goOn: true }
        for (let i = 0; i < 700 && last.back; i++) last = lend(sink, chunk)
        assert.deepEqual(last, { back: false, goOn: false })
        assert.equal(lend(sink, chunk).back, false)
        client.destroy()
        server.close()
      },
    )

  await t.test('is not released if it is small: it is written with the next data', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client: Socket = connect((server.address() as { port: number }).port, '127.0.0.1')
    const sink = sinkOn(await responseOn(client, server))
    assert.deepEqual(lend(sink, Buffer.from('small')), { back: false, goOn: true })
    client.destroy()
    server.close()
  })

  await t.test('is not released by a tunnel, which passes the same memory on', async () => {
    const server = createServer()
    const [outside, inside] = duplexPair()
    server.emit('connection', inside)
    const sink = sinkOn(await responseOn(outside, server))
    assert.equal(lend(sink, Buffer.alloc(65_536, 'x')).back, false)
    outside.destroy()
    inside.destroy()
  })
})
