import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { ExternalProcessor, type ProcessingRequest } from '../../src/protocols/grpc/ext-proc.gen.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'
import {
  respondingTo,
  asItIs,
  casesOf,
  startProcessor,
  type ProcessorStream,
  unchanged,
} from '../support/processor.ts'
import { bidi, grpcServer } from '../support/grpc-server.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { RawClient } from '../support/raw-client.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

const configuration = (host: string, at: string, more = ''): string => `${anyPorts}${more}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies: { extProc: { host: "${at}" } }
    backends: [{ host: "${host}" }]
`

test('an extProc stream', async (t) => {
  await using upstream = await startEcho('upstream')
  await using processor = await startProcessor()

  await t.test('ends when a WebSocket has been accepted', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server })
    sockets.on('connection', (client) => client.on('message', (data) => client.send(data, { binary: false })))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await using daemon = await startDaemon(configuration(`127.0.0.1:${port}`, processor.host))
    const client = new WebSocket(daemon.url('default').replace('http', 'ws'))
    await once(client, 'open')
    await processor.idle()
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
    client.send('hello')
    assert.equal(String(((await once(client, 'message')) as [Buffer])[0]), 'hello')
    client.close()
    await once(client, 'close')
    server.closeAllConnections()
    server.close()
  })

  await t.test('continues with its processor after a reload', async () => {
    await using other = await startProcessor()
    await using daemon = await startDaemon(configuration(upstream.host, processor.host))
    const { promise: begun, resolve } = Promise.withResolvers<ProcessorStream>()
    processor.onStream = (talk) => {
      talk.once('data', (message) => {
        talk.on('data', (next) => talk.write(unchanged(next as never)))
        talk.on('end', () => talk.end())
        resolve(talk)
        talk.once('go on' as never, () => talk.write(unchanged(message as never)))
      })
    }
    const answer = sendRequest(daemon.url('default'), '/')
    const talk = await begun
    daemon.rewrite(configuration(upstream.host, other.host))
    await daemon.printed(/configuration in force[^]*configuration in force/)
    assert.equal((await sendRequest(daemon.url('default'), '/')).status, 200)
    assert.equal(other.counts.begun, 1)
    talk.emit('go on')
    assert.equal((await answer).status, 200)
    await processor.idle()
  })

  await t.test('lasts as long as a gRPC stream, whose messages are forwarded one by one', async () => {
    await using server = await grpcServer([
      bidi(ExternalProcessor.method.process, (talk) => {
        talk.on('data', (message: ProcessingRequest) => talk.write(unchanged(message)))
        talk.on('end', () => talk.end())
      }),
    ])
    processor.onStream = respondingTo(() => asItIs)
    processor.received.length = 0
    await using daemon = await startDaemon(configuration(server.host, processor.host))
    const registry = new Registry()
    const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
    const port = Number(new URL(daemon.url('default')).port)
    const service = session.grpc({ kind: 'host', target: { host: '127.0.0.1', port } }, {}) ?? assert.fail()
    session.commit(snapshotOf(backendsAt({})))
    const heard = new EventEmitter()
    const stream = service.stream(
      ExternalProcessor.method.process,
      {
        message: ({ response }) => heard.emit('message', response.case),
        ended: (fault) => heard.emit('ended', fault),
      },
      { timeoutMs: undefined },
    )
    for (const part of ['requestHeaders', 'responseBody', 'requestTrailers'] as const) {
      const answered = once(heard, 'message')
      stream.send({ request: { case: part, value: {} } })
      assert.deepEqual(await answered, [part])
    }
    const ended = once(heard, 'ended')
    stream.finish()
    assert.deepEqual(await ended, [undefined])
    await processor.idle()
    const kinds = new Set(casesOf(processor.received))
    assert.ok(kinds.has('responseTrailers') && kinds.has('requestBody'), [...kinds].join())
    await registry.close(0)
  })

  await t.test('ends at the latest at shutdown', async () => {
    const daemon = await startDaemon(
      configuration(upstream.host, processor.host, '  connectionTerminationDeadline: 100ms\n'),
    )
    const { promise: begun, resolve } = Promise.withResolvers<ProcessorStream>()
    processor.onStream = resolve
    using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
    client.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await begun
    const stopped = daemon.stop('SIGTERM')
    await processor.idle()
    assert.equal(await stopped, 0)
  })

  await t.test('appears in the trace', async () => {
    processor.onStream = respondingTo(() => asItIs)
    await using daemon = await startDaemon(configuration(upstream.host, processor.host))
    const trace = await fetch(`${daemon.url('admin')}/debug/trace`)
    await sendRequest(daemon.url('default'), '/')
    const text = await trace.text()
    assert.match(text, /"kind":"ext_proc"/)
    assert.match(text, /processed the request/)
    assert.match(text, /processed the response/)
    assert.match(text, /"stage":"ext proc"/)
  })
})
