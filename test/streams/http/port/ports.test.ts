import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { Reply, respond } from '../../../../src/model/exchange/reply.ts'
import type { ConnectionEvents, ConnectionLabels } from '../../../../src/streams/http/port/port-hooks.ts'
import { ManualBody } from '../../../../src/testing/manual-body.ts'
import { freePort } from '../../../support/free-port.ts'
import { replying, startGateway } from '../../../support/gateway.ts'
import { RawClient, statusesIn } from '../../../support/raw-client.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const saying = (text: string) => ({ pipeline: replying(() => respond(200, text)) })
const read = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text()

test('a port', async (t) => {
  await t.test('stays open, with its connections, when another configuration is applied', async () => {
    await using gateway = await startGateway([{ key: 'a', listeners: [saying('one')] }])
    const port = gateway.port()
    using client = await RawClient.to(port)
    client.send(get)
    await client.until('one')
    await gateway.apply([{ key: 'a', listeners: [saying('two')] }])
    assert.equal(gateway.port(), port)
    client.send(get)
    await client.until('two')
    assert.doesNotMatch(client.received, /connection: close/i)
  })

  await t.test('serves exchanges of the old configuration by that', async () => {
    const body = new ManualBody()
    await using gateway = await startGateway([
      {
        key: 'a',
        listeners: [{ pipeline: replying(() => new Reply(200, new Headers(), body, 'Upstream')) }],
      },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(get)
    body.send('first half, ')
    await client.until('half')
    await gateway.apply([{ key: 'a', listeners: [saying('new')] }])
    body.send('second half').end()
    await client.until('second half')
    const x = await gateway.nextEnded()
    assert.equal(x.snapshot.exchanges, 0)
  })

  await t.test('with a new address is opened again', async () => {
    const port = await freePort()
    await using gateway = await startGateway([
      { key: 'a', port, address: '127.0.0.1', listeners: [saying('one')] },
    ])
    assert.deepEqual(
      await gateway.apply([{ key: 'a', port, address: '0.0.0.0', listeners: [saying('two')] }]),
      [],
    )
    assert.deepEqual(gateway.ports.addresses(), [{ bind: 'a', host: '0.0.0.0', port }])
    assert.equal(await read(port), 'two')
  })

  await t.test('of a new configuration is opened, and one that it drops is closed', async () => {
    await using gateway = await startGateway([{ key: 'a', listeners: [saying('a')] }])
    const before = gateway.port('a')
    assert.deepEqual(await gateway.apply([{ key: 'b', listeners: [saying('b')] }]), [])
    assert.equal(await read(gateway.port('b')), 'b')
    assert.deepEqual(
      gateway.ports.addresses().map(({ bind }) => bind),
      ['b'],
    )
    await assert.rejects(read(before))
  })

  await t.test('that is dropped drains its requests', async () => {
    const body = new ManualBody()
    await using gateway = await startGateway([
      {
        key: 'a',
        listeners: [{ pipeline: replying(() => new Reply(200, new Headers(), body, 'Upstream')) }],
      },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(get)
    body.send('first')
    await client.until('first')
    await gateway.apply([])
    body.send('last').end()
    assert.match(await client.end(), /last\r\n0\r\n\r\n$/)
  })

  await t.test('in use is reported by every configuration that comes while it opens', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await using gateway = await startGateway([{ key: 'a', listeners: [saying('one')] }])
    const both = [
      { key: 'a', listeners: [saying('two')] },
      { key: 'b', port, listeners: [saying('two')] },
    ]
    const failures = await Promise.all([gateway.apply(both), gateway.apply(both)])
    other.close()
    assert.deepEqual(
      failures.map((one) => one.map(({ bind }) => bind)),
      [['b'], ['b']],
    )
  })

  await t.test('in use is reported with the bind, and the others open', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo
    await using gateway = await startGateway([
      { key: 'taken', port, listeners: [saying('taken')] },
      { key: 'free', listeners: [saying('free')] },
    ])
    assert.equal(gateway.failures.length, 1)
    assert.match(
      gateway.failures[0]!.message,
      new RegExp(`^taken cannot listen on 127\\.0\\.0\\.1:${port}: another process`),
    )
    assert.equal(await read(gateway.port('free')), 'free')
    squatter.close()
    await once(squatter, 'close')
    // A failed port is tried again with the next configuration.
    assert.deepEqual(await gateway.apply([{ key: 'taken', port, listeners: [saying('taken')] }]), [])
    assert.equal(await read(port), 'taken')
  })

  await t.test('on an address this machine does not have is reported', async () => {
    await using gateway = await startGateway([{ key: 'a', address: '192.0.2.1' }])
    assert.match(gateway.failures[0]!.message, /no such address/)
  })

  await t.test('on :: accepts IPv4, and IPv6 if available', async () => {
    await using gateway = await startGateway([{ key: 'a', address: '::', listeners: [saying('both')] }])
    assert.equal(await read(gateway.port()), 'both')
    const [address] = gateway.ports.addresses()
    if (address && 'host' in address && address.host === '::')
      assert.equal(await (await fetch(`http://[::1]:${gateway.port()}/`)).text(), 'both')
  })

  await t.test('may be a unix socket, whose stale file is removed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
    const path = join(folder, 'gw.sock')
    // A server that exits without removing its file, like a crashed process.
    const { spawnSync } = await import('node:child_process')
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ])
    assert.ok(existsSync(path))
    const bind = { key: 'a', address: `unix:${path}`, listeners: [saying('unix')] }
    await using gateway = await startGateway([bind])
    assert.deepEqual(gateway.failures, [])
    assert.deepEqual(gateway.ports.addresses(), [{ bind: 'a', unix: path }])
    const client = new RawClient(connect(path))
    client.send(get)
    await client.until(/unix$/)
    client.socket.destroy()
    await using second = await startGateway([bind])
    assert.match(second.failures[0]!.message, /another process/)
    rmSync(folder, { recursive: true, force: true })
  })
})

test('draining', async (t) => {
  await t.test('closes idle connections at once and refuses new ones', async () => {
    const gateway = await startGateway([{ listeners: [saying('ok')] }])
    const port = gateway.port()
    using client = await RawClient.to(port)
    client.send(get)
    await client.until('ok')
    using silent = await RawClient.to(port)
    await gateway.ports.drain(60_000)
    await client.end()
    await silent.end()
    await assert.rejects(read(port))
  })

  await t.test('lets exchanges finish, and announces the close', async () => {
    let answer: (reply: Reply) => void = () => undefined
    let asked: () => void = () => undefined
    const whenAsked = new Promise<void>((resolve) => (asked = resolve))
    const gateway = await startGateway([
      {
        listeners: [
          {
            pipeline: replying(() => {
              asked()
              return new Promise<Reply>((resolve) => (answer = resolve))
            }),
          },
        ],
      },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(get)
    await whenAsked
    const drained = gateway.ports.drain(60_000)
    answer(respond(200, 'done'))
    assert.match(await client.end(), /connection: close[^]*done$/i)
    await drained
    assert.equal(gateway.ended.length, 1)
  })

  await t.test('closes the connection of a reply whose head was sent before', async () => {
    const body = new ManualBody()
    const gateway = await startGateway([
      { listeners: [{ pipeline: replying(() => new Reply(200, new Headers(), body, 'Upstream')) }] },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(get)
    body.send('first')
    await client.until('first')
    const drained = gateway.ports.drain(60_000)
    body.end()
    assert.match(await client.end(), /0\r\n\r\n$/)
    await drained
  })

  await t.test('aborts what has not finished by the deadline', async () => {
    const gateway = await startGateway([
      { listeners: [{ pipeline: replying(() => new Promise<Reply>(() => undefined)) }] },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(get)
    // The reply to a second connection shows that the first one's request has been read.
    await gateway.ports.drain(30)
    await client.end()
  })

  await t.test('twice is the same as once', async () => {
    const gateway = await startGateway([{ listeners: [saying('ok')] }])
    await Promise.all([gateway.ports.drain(1_000), gateway.ports.drain(1_000)])
    assert.deepEqual(gateway.ports.addresses(), [])
  })
})

test('connections are reported with labels, bytes and refusals', async () => {
  const seen: unknown[] = []
  const events: ConnectionEvents = {
    opened: (labels: ConnectionLabels) => seen.push(['opened', labels]),
    closed: (_, received, sent) => seen.push(['closed', received > 0, sent > 0]),
    tlsHandshake: () => seen.push('handshake'),
    refused: ({ bind }, status, code) => seen.push(['refused', bind, status, code]),
  }
  const gateway = await startGateway([{ key: 'a', listeners: [saying('ok')] }], events)
  using client = await RawClient.to(gateway.port())
  client.send('GET / HTTP/1.1\r\n\r\n')
  assert.deepEqual(statusesIn(await client.end()), [400])
  client.socket.destroy()
  await gateway.ports.drain(1_000)
  assert.deepEqual(seen, [
    ['opened', { bind: 'a', gateway: 'default/default', listener: 'listener0', protocol: 'http' }],
    ['refused', 'a', 400, 'missing_host'],
    ['closed', true, true],
  ])
})
