import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { backend } from '../../src/operators/backend/http.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { rescue } from '../../src/pipeline/rescue.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { runAsync } from '../../src/testing/run.ts'
import { upstreamOf, type UpstreamOfOptions } from '../../src/upstream/origin-upstream.ts'
import { makeAuthority } from '../support/certificates.ts'
import { listening } from '../support/upstream-servers.ts'
import { startUpstream } from '../support/upstream.ts'

const ask = async (origin: string, options?: UpstreamOfOptions) => {
  await using upstream = upstreamOf(origin, options)
  const x = await runAsync(rescue(backend(upstream), faultReply()), exchange({ path: '/a?b' }))
  return { x, status: x.reply?.status, code: x.reply?.code, text: String(await x.reply?.body.read(1000)) }
}

test('upstreamOf', async (t) => {
  await using server = await startUpstream((req, res) =>
    res.end(`${req.headers.host ?? ''} ${req.url ?? ''}`),
  )
  const port = server.host.split(':')[1] ?? ''

  await t.test("calls an address, which has no name, with the client's host", async () => {
    const { x, status, text } = await ask(`http://${server.host}`)
    assert.deepEqual([status, text], [200, 'gateway.test /a?b'])
    assert.deepEqual([x.upstream.backend?.name, x.upstream.endpoint], [`http://${server.host}`, server.host])
  })

  await t.test('calls a name by its own name', async () => {
    assert.equal((await ask(`http://localhost:${port}`)).text, `localhost:${port} /a?b`)
  })

  await t.test('has its configured name in logs', async () => {
    assert.equal((await ask(`http://${server.host}`, { name: 'orders' })).x.upstream.backend?.name, 'orders')
  })

  await t.test('calls a unix socket', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'upstream-of-'))
    const path = join(folder.path, 'socket')
    const onSocket = createServer((_, res) => res.end('by file')).listen(path)
    await once(onSocket, 'listening')
    try {
      assert.equal((await ask(`unix:${path}`)).text, 'by file')
    } finally {
      onSocket.close()
    }
  })

  await t.test('trusts public CAs, and configured ones', async () => {
    using authority = makeAuthority()
    const certificate = authority.issue('localhost')
    await using encrypted = await listening(createTlsServer(certificate, (_, res) => res.end('in secret')))
    const origin = `https://localhost:${encrypted.port}`
    assert.deepEqual((await ask(origin)).code, 'upstream_connect')
    assert.equal((await ask(origin, { tls: { rootFile: authority.certFile } })).text, 'in secret')
  })

  await t.test('keeps its connection until it is closed', async () => {
    const opened: Socket[] = []
    const keep = (socket: Socket) => void opened.push(socket)
    server.server.on('connection', keep)
    const upstream = upstreamOf(new URL(`http://${server.host}`))
    for (let i = 0; i < 3; i++) {
      const x = await runAsync(backend(upstream), exchange())
      await x.reply?.body.read(100)
      await setImmediate() // The connection is free again once the last byte has been handled.
    }
    server.server.off('connection', keep)
    const [only, ...others] = opened
    assert.ok(only && others.length === 0)
    const closed = once(only, 'close')
    await upstream.close()
    await closed
  })

  await t.test('explains the form of an origin', () => {
    for (const wrong of [
      'localhost:9000',
      'http://a.test/path',
      'http://a.test?q',
      'http://me@a.test',
      'ftp://a.test',
      '',
    ])
      assert.throws(() => upstreamOf(wrong), {
        name: 'TypeError',
        message: /is no origin: write http:\/\/host:port/,
      })
  })
})
