import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { suite, test } from 'node:test'
import type { TcpSession } from '../../../src/model/exchange/tcp-connection.ts'
import type { TcpTarget } from '../../../src/model/resources/snapshot.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { RawClient } from '../../support/raw-client.ts'
import { until } from '../../support/stream-body.ts'
import { rawLabels, tcpBind, to } from '../../support/tcp-bind.ts'
import { rawServer } from '../../support/upstream-servers.ts'

/** The log entry and metrics of a session. */
const told = ({ endpoint, reason, code, error, sentBytes }: TcpSession) => ({
  endpoint,
  reason,
  code,
  error,
  sentBytes,
})

/** The only session, once it has ended. */
const ended = async ({ rawEnded }: TestGateway): Promise<TcpSession> => {
  await until(() => rawEnded.length > 0, 'the end of a raw session')
  assert.equal(rawEnded.length, 1)
  return rawEnded[0] as TcpSession
}

const insecure: TcpTarget['tls'] = { insecure: true, insecureHost: true, subjectAltNames: [] }

suite('a raw connection is reported once', () => {
  test('when both sides have closed, with its backend and byte counts', async () => {
    await using upstream = await rawServer((socket) => socket.pipe(socket))
    await using gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    using client = await RawClient.to(gateway.port())
    const { localPort } = client.socket
    client.send('12345')
    await client.until('12345')
    assert.deepEqual(gateway.rawEnded, [])
    client.socket.end()
    await client.end()
    const session = await ended(gateway)
    assert.deepEqual(told(session), {
      endpoint: `127.0.0.1:${upstream.port}`,
      reason: 'Upstream',
      code: undefined,
      error: undefined,
      sentBytes: 5,
    })
    assert.equal(session.labels, rawLabels)
    assert.equal(session.backend?.name, 'b')
    assert.equal(session.connection.sourcePort, localPort)
    assert.ok(session.startedAt <= session.upstreamStartedAt)
    assert.ok(session.upstreamStartedAt < session.endedAt)
  })

  test('if no route fits, with the labels of its listener', async () => {
    await using gateway = await startGateway([tcpBind(() => undefined)])
    using client = await RawClient.to(gateway.port())
    await client.end()
    const session = await ended(gateway)
    assert.deepEqual(told(session), {
      endpoint: undefined,
      reason: 'NotFound',
      code: 'route_not_found',
      error: 'route not found',
      sentBytes: 0,
    })
    assert.equal(session.labels.listener, 'listener0')
    assert.equal(session.labels.route, undefined)
    assert.equal(session.backend, undefined)
  })

  test('if its upstream is unreachable, or has no address', async () => {
    for (const [host, endpoint, code] of [
      ['127.0.0.1', '127.0.0.1:1', 'upstream_connect'],
      ['name.invalid', undefined, 'upstream_dns'],
    ] as const) {
      await using gateway = await startGateway([tcpBind(to({ host, port: 1 }))])
      using client = await RawClient.to(gateway.port())
      await client.end()
      const session = told(await ended(gateway))
      assert.deepEqual([session.endpoint, session.reason, session.code], [endpoint, 'UpstreamFailure', code])
    }
  })

  test('if the client disconnects before its upstream is connected, and that call is released', async () => {
    // It accepts connections and never completes a handshake.
    await using upstream = await rawServer((socket) => socket.resume())
    const target = to({ host: '127.0.0.1', port: upstream.port }, insecure)
    await using gateway = await startGateway([tcpBind(target)])
    using client = await RawClient.to(gateway.port())
    await until(() => upstream.sockets.size === 1, 'a handshake')
    client.socket.resetAndDestroy()
    const session = told(await ended(gateway))
    assert.deepEqual([session.reason, session.error], [undefined, 'client left'])
    await until(() => upstream.sockets.size === 0, 'the end of the handshake')
  })

  test('if it fails, with the side that failed', async () => {
    await using upstream = await rawServer((socket) => socket.resume().write('hello'))
    await using gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    using client = await RawClient.to(gateway.port())
    await client.until('hello')
    for (const socket of upstream.sockets) socket.resetAndDestroy()
    await client.end()
    const session = told(await ended(gateway))
    assert.deepEqual([session.reason, session.error], ['Upstream', 'upstream connection failed'])
  })
})

suite('a raw connection is closed', () => {
  test('at its maximum age', async () => {
    await using upstream = await rawServer((socket) => socket.resume().write('hello'))
    const frontend = { http: { maxConnectionDurationMs: 2_000 } }
    await using gateway = await startGateway([
      { ...tcpBind(to({ host: '127.0.0.1', port: upstream.port })), frontend },
    ])
    using client = await RawClient.to(gateway.port())
    await client.until('hello')
    await client.end()
    const session = await ended(gateway)
    assert.deepEqual([session.reason, session.error], ['Upstream', 'open for too long'])
    assert.ok(session.endedAt - session.startedAt >= 1_990)
    await until(() => upstream.sockets.size === 0, 'the end of the connection upstream')
  })

  test('at that age also if its upstream has not responded yet, or no data was sent', async () => {
    await using upstream = await rawServer((socket) => socket.resume())
    const frontend = { http: { maxConnectionDurationMs: 50 } }
    await using gateway = await startGateway([
      { ...tcpBind(to({ host: '127.0.0.1', port: upstream.port }, insecure)), key: 'tcp', frontend },
      { key: 'http', frontend },
    ])
    using waiting = await RawClient.to(gateway.port('tcp'))
    assert.equal(await waiting.end(), '')
    assert.equal((await ended(gateway)).error, 'open for too long')
    await until(() => upstream.sockets.size === 0, 'the end of the handshake')
    using silent = await RawClient.to(gateway.port('http'))
    assert.equal(await silent.end(), '')
  })

  test('at the deadline of the drain, idle or not, and not before', async () => {
    await using upstream = await rawServer((socket) => socket.resume().write('hello'))
    const gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    using client = await RawClient.to(gateway.port())
    await client.until('hello')
    const draining = gateway.ports.drain(2_000)
    client.send('still here')
    for (const socket of upstream.sockets) await once(socket, 'data')
    const begun = performance.now()
    await draining
    assert.ok(performance.now() - begun < 10_000)
    const session = await ended(gateway)
    assert.deepEqual([session.reason, session.error], ['Upstream', 'the gateway ended'])
    await client.end()
    await until(() => upstream.sockets.size === 0, 'the end of the connection upstream')
  })

  test('at the deadline also if only its upstream is left, which does not read', async () => {
    const stalled = new Duplex({ read: () => undefined, write: () => undefined })
    stalled.push(null)
    const gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: 1 }))], undefined, {
      connect: (_, connected) => {
        queueMicrotask(() => connected(stalled as Socket, '127.0.0.1:1'))
        return () => undefined
      },
    })
    using client = await RawClient.to(gateway.port())
    client.send('hello')
    client.socket.end()
    await once(client.socket, 'close')
    let drained = false
    const draining = gateway.ports.drain(1_000).then(() => (drained = true))
    await new Promise(setImmediate)
    assert.deepEqual([drained, stalled.destroyed, gateway.rawEnded], [false, false, []])
    await draining
    assert.equal(stalled.destroyed, true)
    assert.equal((await ended(gateway)).error, 'the gateway ended')
  })
})
