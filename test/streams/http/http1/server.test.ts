import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { BufferBody, emptyBody } from '../../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { deny, Reply, respond } from '../../../../src/model/exchange/reply.ts'
import { ManualBody } from '../../../../src/testing/manual-body.ts'
import { replying, type FrontendParts, forwardTo, poolTo, startGateway } from '../../../support/gateway.ts'
import { get as h2Get, headers, RawHttp2Client } from '../../../support/h2-client.ts'
import { RawClient, statusesIn } from '../../../support/raw-client.ts'
import { startUpstream } from '../../../support/upstream.ts'

type Decide = Parameters<typeof replying>[0]

/** A gateway that replies with `decide`. */
const serving = (decide: Decide, frontend: FrontendParts = {}) =>
  startGateway([{ listeners: [{ pipeline: replying(decide) }], frontend }])

const upstreamReply = (status: number, raw: string[], body: Reply['body'] = emptyBody): Reply =>
  new Reply(status, new Headers(raw), body, 'Upstream')

const echo = async (x: Exchange): Promise<Reply> => {
  const { method, path, query, authority, headers } = x.request
  const body = await x.request.body.read(1_000)
  return respond(
    200,
    JSON.stringify({ method, path, query, authority, headers: headers.raw, body: String(body) }),
  )
}

/** Sends one request over its own connection and returns everything it receives. */
const ask = async (port: number, request: string): Promise<string> => {
  using client = await RawClient.to(port)
  client.send(request)
  return await client.end()
}

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

test('HTTP/1.1 requests', async (t) => {
  await using gateway = await serving(echo)
  const port = gateway.port()

  await t.test('are normalized, without hop-by-hop fields', async () => {
    const answer = await ask(
      port,
      'POST /a/../b%7e?q=%2e HTTP/1.1\r\nHOST: Example.COM.:8080\r\nX-Twice: 1\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nTE: trailers, gzip\r\nx-twice: 2\r\nContent-Length: 2\r\n\r\nhi',
    )
    assert.deepEqual(JSON.parse(bodyOf(answer)), {
      method: 'POST',
      path: '/b~',
      query: '?q=%2e',
      authority: 'example.com:8080',
      headers: [
        'host',
        'example.com:8080',
        'x-twice',
        '1',
        'te',
        'trailers',
        'x-twice',
        '2',
        'content-length',
        '2',
      ],
      body: 'hi',
    })
  })

  await t.test('may have an absolute target', async () => {
    const answer = await ask(
      port,
      'GET http://example.com/a?b HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    )
    const { path, query, authority } = JSON.parse(bodyOf(answer)) as Record<string, string>
    assert.deepEqual([path, query, authority], ['/a', '?b', 'example.com'])
  })

  await t.test('may be OPTIONS *', async () => {
    const answer = await ask(port, 'OPTIONS * HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n')
    const { method, path } = JSON.parse(bodyOf(answer)) as Record<string, string>
    assert.deepEqual([method, path], ['OPTIONS', '*'])
  })

  await t.test('with an Upgrade that is not allowed are served without it', async () => {
    using client = await RawClient.to(port)
    client.send(
      'GET /1 HTTP/1.1\r\nHost: a\r\nConnection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n',
    )
    await client.until('"/1"')
    client.send('GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const answer = await client.end()
    assert.deepEqual(statusesIn(answer), [200, 200])
    assert.doesNotMatch(answer, /h2c|http2-settings/)
  })

  await t.test('keep their header case if configured', async () => {
    await using preserving = await serving((x) => respond(200, x.request.headers.spelled().join('|')), {
      http: { headerCase: 'preserve' },
    })
    const answer = await ask(
      preserving.port(),
      'GET / HTTP/1.1\r\nHost: a\r\nX-MiXed: Yes\r\nConnection: close\r\n\r\n',
    )
    assert.equal(bodyOf(answer), 'Host|a|X-MiXed|Yes')
  })

  await t.test('with trailers forward them behind the body', async () => {
    await using trailing = await serving(
      (x) =>
        new Promise<Reply>((resolve) => {
          x.request.body.pipe({
            write: () => true,
            end: (trailers) => resolve(respond(200, JSON.stringify(trailers ?? []))),
            fail: () => undefined,
            onDrain: () => undefined,
          })
        }),
    )
    const answer = await ask(
      trailing.port(),
      'POST / HTTP/1.1\r\nHost: a\r\nTrailer: x-sum\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n',
    )
    assert.equal(bodyOf(answer), '["x-sum","1"]')
  })
})

test('Expect: 100-continue', async (t) => {
  const request = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'

  await t.test('gets 100 when a stage begins to read the body', async () => {
    await using gateway = await serving(echo)
    using client = await RawClient.to(gateway.port())
    client.send(request)
    await client.until('HTTP/1.1 100 Continue\r\n\r\n')
    client.send('hi')
    await client.until('"body":"hi"')
    assert.deepEqual(statusesIn(client.received), [100, 200])
  })

  await t.test('gets only the refusal if there is one, and the connection is closed', async () => {
    await using gateway = await serving(() => deny(401, 'no_token'))
    const answer = await ask(gateway.port(), request)
    assert.deepEqual(statusesIn(answer), [401])
    assert.match(answer, /connection: close/i)
  })

  await t.test('gets 100 only when the upstream is called, and is not forwarded', async () => {
    await using upstream = await startUpstream((req, res) => {
      req.resume().on('end', () => res.end(JSON.stringify(req.rawHeaders)))
    })
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    using client = await RawClient.to(gateway.port())
    client.send(request)
    await client.until('HTTP/1.1 100 Continue\r\n\r\n')
    client.send('hi')
    await client.until('content-length","2"')
    assert.doesNotMatch(client.received, /expect/)
    await pool.destroy()
  })
})

test('HTTP/1.1 replies', async (t) => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

  await t.test('keep order and repeats of fields', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, ['set-cookie', 'a=1', 'x-b', '2', 'set-cookie', 'c=3'], new BufferBody('ok')),
    )
    const answer = await ask(gateway.port(), get)
    assert.match(answer, /\r\nset-cookie: a=1\r\nx-b: 2\r\nset-cookie: c=3\r\n/)
  })

  await t.test('to HEAD have the length of a body that is not sent', async () => {
    await using gateway = await serving((x) =>
      x.request.path === '/own' ? respond(200, 'hello') : upstreamReply(200, ['content-length', '123']),
    )
    for (const [path, length] of [
      ['/own', '5'],
      ['/upstream', '123'],
    ] as const) {
      const answer = await ask(
        gateway.port(),
        `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      assert.match(answer, new RegExp(`content-length: ${length}\r\n`))
      assert.equal(bodyOf(answer), '')
    }
  })

  await t.test('204 and 304 have no body', async () => {
    for (const status of [204, 304]) {
      await using gateway = await serving(() => respond(status, 'never'))
      assert.equal(bodyOf(await ask(gateway.port(), get)), '')
    }
  })

  await t.test('have the length of their body, whatever the upstream declared', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, ['content-length', '99'], new BufferBody('short')),
    )
    const answer = await ask(gateway.port(), get)
    assert.match(answer, /content-length: 5\r\n/)
    assert.equal(bodyOf(answer), 'short')
  })

  await t.test('of unknown length are chunked, and close the connection for HTTP/1.0', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, [], new ManualBody().send('ab').send('cd').end()),
    )
    assert.equal(bodyOf(await ask(gateway.port(), get)), '2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n')
    assert.equal(bodyOf(await ask(gateway.port(), 'GET / HTTP/1.0\r\nHost: a\r\n\r\n')), 'abcd')
  })

  await t.test('forward trailers', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, [], new ManualBody().send('ab').end(['x-sum', '1', 'x-sum', '2'])),
    )
    assert.match(bodyOf(await ask(gateway.port(), get)), /0\r\nx-sum: 1\r\nx-sum: 2\r\n\r\n$/)
  })

  await t.test('with a body that a stage has consumed are aborted, over HTTP/2 as well', async () => {
    await using gateway = await serving(async () => {
      const body = new ManualBody().send('ab').end()
      await body.read(10)
      return upstreamReply(200, [], body)
    })
    assert.equal(bodyOf(await ask(gateway.port(), get)), '')
    assert.match((await gateway.nextEnded()).downstream.truncatedBy ?? '', /twice/)
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, h2Get()))
    assert.equal(await client.outcome(1), 'reset')
    assert.match((await gateway.nextEnded()).downstream.truncatedBy ?? '', /twice/)
  })

  await t.test('with invalid trailers are aborted', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, [], new ManualBody().send('ab').end(['x a', '1'])),
    )
    assert.doesNotMatch(await ask(gateway.port(), get), /0\r\n/)
    assert.match((await gateway.nextEnded()).downstream.truncatedBy ?? '', /trailers/)
  })

  await t.test('send their head before a slow body', async () => {
    const body = new ManualBody()
    await using gateway = await serving(() => upstreamReply(200, ['x-a', 'b'], body))
    using client = await RawClient.to(gateway.port())
    client.send(get)
    await client.until('x-a: b')
    body.send('late').end()
    assert.match(await client.end(), /late/)
  })

  await t.test('that are invalid become 502 from an upstream and 500 from the gateway', async () => {
    for (const reply of [
      () => upstreamReply(99, []),
      () => upstreamReply(1000, []),
      () => upstreamReply(101, []),
      () => upstreamReply(103, []),
      () => Object.assign(upstreamReply(101, []), { tunnel: new PassThrough() }),
      () => Object.assign(upstreamReply(200, []), { tunnel: new PassThrough() }),
      () => upstreamReply(200, ['x-a', 'b\r\nx-c: d']),
      () => upstreamReply(200, ['x a', 'b']),
    ]) {
      await using gateway = await serving(reply)
      const answer = await ask(gateway.port(), get)
      assert.deepEqual(statusesIn(answer), [502])
      assert.doesNotMatch(answer, /x-c/)
      assert.match(answer, /content-type: text\/plain/)
    }
    await using gateway = await serving(() => respond(99, ''))
    assert.deepEqual(statusesIn(await ask(gateway.port(), get)), [500])
  })

  await t.test('are errors in gRPC format for gRPC clients', async () => {
    await using gateway = await serving(() => deny(401, 'no_token', { message: 'größer' }))
    const answer = await ask(
      gateway.port(),
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc+proto\r\nConnection: close\r\n\r\n',
    )
    assert.deepEqual(statusesIn(answer), [200])
    assert.match(answer, /content-type: application\/grpc\r\n/)
    assert.match(answer, /grpc-status: 16\r\n/)
    assert.match(answer, /grpc-message: gr%C3%B6%C3%9Fer\r\n/)
  })

  await t.test('are 500 without a reply, or if a stage throws', async () => {
    await using silent = await serving(() => undefined)
    assert.deepEqual(statusesIn(await ask(silent.port(), get)), [500])
    assert.equal((await silent.nextEnded()).reply?.code, 'no_reply')
  })
})

const goOn = (): void => undefined

test('informational responses', async (t) => {
  const informing =
    (status: number, headers: string[]): Decide =>
    (x) => {
      x.downstream.informationalSink?.sendInformational(status, headers, goOn)
      return respond(200, 'ok')
    }
  const answerTo = async (decide: Decide, version = '1.1') => {
    await using gateway = await serving(decide)
    return await ask(gateway.port(), `GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)
  }

  await t.test('are forwarded, with Link and without', async () => {
    const links = ['link', '</a>; rel=preload', 'link', '</b>; rel=preload']
    assert.match(
      await answerTo(informing(103, links)),
      /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>; rel=preload\r\nlink: <\/b>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    )
    assert.match(
      await answerTo(informing(103, ['x-a', 'b'])),
      /^HTTP\/1\.1 103 Early Hints\r\nx-a: b\r\n\r\nHTTP/,
    )
    assert.match(await answerTo(informing(102, [])), /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200/)
  })

  await t.test('that are invalid are dropped', async () => {
    for (const [status, headers] of [
      [103, ['link', 'a\r\nb: c']],
      [103, ['a b', 'c']],
      [100, []],
      [101, []],
      [200, []],
    ] as const)
      assert.deepEqual(statusesIn(await answerTo(informing(status, [...headers]))), [200])
  })

  await t.test('are not sent for HTTP/1.0', async () => {
    assert.deepEqual(statusesIn(await answerTo(informing(103, []), '1.0')), [200])
  })

  await t.test('are dropped once the head is out', async () => {
    const body = new ManualBody()
    await using gateway = await serving((x) => {
      queueMicrotask(() => {
        x.downstream.informationalSink?.sendInformational(103, [], goOn)
        body.end()
      })
      return upstreamReply(200, [], body)
    })
    const answer = await ask(gateway.port(), 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.deepEqual(statusesIn(answer), [200])
  })
})

test('aborted replies', async (t) => {
  for (const [name, head, version] of [
    ['a chunked reply', 'transfer-encoding: chunked', '1.1'],
    ['a reply of known length', 'content-length: 10', '1.1'],
    ['a reply to HTTP/1.0', 'transfer-encoding: chunked', '1.0'],
  ] as const)
    await t.test(`${name} is not mistaken for a complete one`, async () => {
      let breakOff: () => void = () => undefined
      await using upstream = await startUpstream((_, res) => {
        const [field, value] = head.split(': ') as [string, string]
        res.writeHead(200, { [field]: value })
        res.write('half')
        breakOff = () => res.socket?.resetAndDestroy()
      })
      const pool = poolTo(upstream.host)
      await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
      using client = await RawClient.to(gateway.port())
      let reset = false
      client.socket.on('error', () => {
        reset = true
      })
      client.send(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`)
      await client.until('half')
      breakOff()
      await client.end()
      assert.ok(version === '1.0' ? reset : !client.received.endsWith('0\r\n\r\n'))
      const x = await gateway.nextEnded()
      assert.match(x.downstream.truncatedBy ?? '', /upstream/)
      assert.deepEqual([x.reply?.reason, x.reply?.code], ['Upstream', 'upstream_failed'])
      await pool.destroy()
    })
})
