import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { get, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { get as getEncrypted } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../../../../src/config/parse.ts'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { Reply, respond } from '../../../../src/model/exchange/reply.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { onRequest } from '../../../../src/pipeline/stage.ts'
import { Trace } from '../../../../src/pipeline/trace.ts'
import { clientSinks } from '../../../../src/sinks/client/client-sinks.ts'
import { defaultFrontend } from '../../../../src/streams/http/port/default-frontend.ts'
import { listen } from '../../../../src/streams/http/port/listen.ts'
import { ManualBody } from '../../../../src/testing/manual-body.ts'
import { makeAuthority } from '../../../support/certificates.ts'

const hello = onRequest('hello', (x) => respond(200, `hello over ${x.request.httpVersion}`))
const here = { responders: clientSinks, address: '127.0.0.1' }
const textOf = async (answer: IncomingMessage) => (await answer.toArray()).join('')

test('listen', async (t) => {
  await t.test('serves a pipeline over HTTP/1.1, and over HTTP/2 without TLS', async () => {
    await using server = await listen(hello, here)
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(await (await fetch(server.url)).text(), 'hello over 1.1')
    const client = connect(server.url)
    const stream = client.request({ ':path': '/' }).setEncoding('utf8')
    assert.equal((await stream.toArray()).join(''), 'hello over 2')
    client.close()
  })

  await t.test('serves TLS if it has a certificate', async () => {
    using authority = makeAuthority()
    await using server = await listen(hello, { ...here, tls: authority.issue('127.0.0.1', ['IP:127.0.0.1']) })
    assert.match(server.url, /^https:/)
    const [answer] = (await once(
      getEncrypted(server.url, { ca: authority.cert, agent: false }),
      'response',
    )) as [IncomingMessage]
    assert.equal(await textOf(answer), 'hello over 1.1')
  })

  await t.test('serves a socket file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'listen-'))
    const socketPath = join(folder.path, 'socket')
    await using server = await listen(hello, { responders: clientSinks, address: `unix:${socketPath}` })
    assert.equal(server.url, `unix:${socketPath}`)
    const [answer] = (await once(get({ socketPath, agent: false }), 'response')) as [IncomingMessage]
    assert.equal(await textOf(answer), 'hello over 1.1')
  })

  await t.test('reports every exchange to the trace and to observers', async () => {
    const trace = new Trace()
    const seen: string[] = []
    const ended: Exchange[] = []
    trace.events$.subscribe(({ message }) => seen.push(message.type))
    {
      await using server = await listen(hello, { ...here, trace, ended: (x) => ended.push(x) })
      await (await fetch(`${server.url}/a`)).text()
    }
    trace.flush()
    assert.deepEqual([seen.at(0), seen.at(-1)], ['requestStarted', 'requestFinished'])
    assert.deepEqual(
      ended.map((x) => [x.request.path, x.reply?.status, x.labels.listener]),
      [['/a', 200, 'pipeline']],
    )
  })

  await t.test('accepts custom limits', async () => {
    await using server = await listen(hello, { ...here, http: { maxHeaderBytes: 2_000 } })
    const long = await fetch(server.url, { headers: { 'x-long': 'a'.repeat(3_000) } })
    assert.equal(long.status, 431)
  })

  await t.test('drains exchanges, and aborts them at the deadline', async () => {
    const body = new ManualBody()
    const slow = onRequest('slow', () => new Reply(200, new Headers(), body, 'DirectResponse'))
    const server = await listen(slow, here)
    const [answer] = (await once(request(server.url, { agent: false }).end(), 'response')) as [
      IncomingMessage,
    ]
    const closing = server.close()
    body.send('whole').end()
    assert.equal(await textOf(answer), 'whole')
    await closing
    await assert.rejects(fetch(server.url))

    const stuck = await listen(
      onRequest('stuck', () => new Reply(200, new Headers(), new ManualBody(), 'DirectResponse')),
      here,
    )
    const [never] = (await once(request(stuck.url, { agent: false }).end(), 'response')) as [IncomingMessage]
    const cut = assert.rejects(textOf(never))
    await stuck.close(10)
    await cut
  })

  await t.test('reports an unavailable address, and the reason', async () => {
    await using first = await listen(hello, here)
    const port = Number(new URL(first.url).port)
    await assert.rejects(listen(hello, { ...here, port }), {
      message: `bind/${port} cannot listen on 127.0.0.1:${port}: another process (or another bind) has it already`,
    })
  })

  await t.test('has the defaults of an empty configuration', () => {
    const { resources } = parseConfig('{}', 'gateway.yaml', {})
    assert.deepEqual(defaultFrontend, resources.frontend)
  })
})
