import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { AuthenticationError } from '../../../../src/controller/sinks/xds/authentication.ts'
import { RotatingCertificate } from '../../../../src/controller/sinks/xds/certificates/rotating-certificate.ts'
import { newAuthorityData } from '../../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { tokenReviews } from '../../../../src/controller/sinks/xds/token-review.ts'
import { namesIn, openRawClient, type RawXdsClient } from '../../../support/xds/raw-xds-client.ts'
import { callHeaders, frame, frameTypes, openRawFrames } from '../../../support/xds/raw-frames.ts'
import { replyRoute, startXdsServer, type TestXdsServer } from '../../../support/xds/xds-server.ts'
import { xdsToken } from '../../../support/xds/xds-token.ts'

const DELTA = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources'
/** Another address than that of honest proxies. */
const attacker = { localAddress: '127.0.0.66' }

const byToken = (token: string) =>
  token === 'honest'
    ? Promise.resolve({ namespace: 'default', name: 'web' })
    : Promise.reject(new AuthenticationError('not one of ours'))

/** A proxy with a stream, which has what there was. */
const honestProxy = async ({ port }: TestXdsServer): Promise<RawXdsClient> => {
  const proxy = openRawClient(port, { token: 'honest' })
  proxy.send()
  proxy.accept(await proxy.next())
  return proxy
}

let changes = 0
/** Fails unless a change reaches the proxy. */
const assertServed = async ({ sets }: TestXdsServer, proxy: RawXdsClient): Promise<void> => {
  const name = `change-${++changes}`
  sets.set('default/web', [replyRoute(name, 'a')])
  const response = await proxy.next()
  assert.ok(namesIn(response).includes(`route/HTTPRoute/default/${name}/00`))
  proxy.accept(response)
}

const certificateOfToday = () => {
  const kept = new RotatingCertificate({
    names: ['localhost'],
    create: () => Promise.resolve(),
    onError: (error) => {
      throw error
    },
  })
  kept.update(newAuthorityData(new Date()))
  return kept
}

suite('connections of discovery', () => {
  test('have a limit for each address', async () => {
    await using server = await startXdsServer({ authenticate: byToken, maxConnectionsPerAddress: 2 })
    using one = await openRawFrames(server.port, attacker)
    using two = await openRawFrames(server.port, attacker)
    using three = await openRawFrames(server.port, attacker)
    await three.closed
    assert.equal(await server.nextEnd(), 'too_many_of_address')
    using proxy = await honestProxy(server)
    await assertServed(server, proxy)
    one.socket.destroy()
    await one.closed
    // Its place is free as soon as the server knows.
    for (;;) {
      using four = await openRawFrames(server.port, attacker)
      if (await four.next(frameTypes.settings)) break
    }
    two.socket.destroy()
  })

  test('have a limit in all', async () => {
    await using server = await startXdsServer({ authenticate: byToken, maxConnections: 1 })
    using proxy = await honestProxy(server)
    using other = await openRawFrames(server.port, attacker)
    await other.closed
    assert.equal(await server.nextEnd(), 'too_many')
    await assertServed(server, proxy)
  })

  for (const mode of ['plaintext', 'either', 'tls'] as const)
    test(`end in mode ${mode} if nothing is sent on them`, async () => {
      using certificate = { kept: certificateOfToday(), [Symbol.dispose]: () => certificate.kept.close() }
      await using server = await startXdsServer({
        mode,
        certificate: certificate.kept,
        idleMs: 100,
        authenticate: byToken,
      })
      const silent = connect({ port: server.port, host: '127.0.0.1', ...attacker })
      await once(silent, 'connect')
      silent.resume()
      await once(silent, 'close')
      assert.equal(await server.nextEnd(), 'not_authenticated')
    })

  test('end without an authenticated stream, whatever else they do, and those with one stay', async () => {
    await using server = await startXdsServer({ authenticate: byToken, idleMs: 3_000 })
    using proxy = await honestProxy(server)
    using idle = await openRawFrames(server.port, attacker)
    using refused = await openRawFrames(server.port, attacker)
    for (let stream = 1; stream < 20; stream += 2)
      refused.write(callHeaders(stream, DELTA, [['authorization', 'Bearer wrong']]))
    using elsewhere = await openRawFrames(server.port, attacker)
    elsewhere.write(callHeaders(1, '/some.Service/Method'))
    for (const { closed } of [idle, refused, elsewhere]) {
      await closed
      assert.equal(await server.nextEnd(), 'not_authenticated')
    }
    await assertServed(server, proxy)
  })

  test('end some time after the last stream of a proxy', async () => {
    await using server = await startXdsServer({ authenticate: byToken, idleMs: 2_000 })
    using frames = await openRawFrames(server.port)
    frames.write(callHeaders(1, DELTA, [['authorization', 'Bearer honest']]))
    while (server.streams === 0) await new Promise(setImmediate)
    frames.write(frame(frameTypes.reset, 1, Buffer.from([0, 0, 0, 8])))
    await frames.closed
    assert.equal(await server.nextEnd(), 'not_authenticated')
  })

  const ping = frame(frameTypes.ping, 0, Buffer.alloc(8))
  const floods = {
    pings: (stream: number) => (stream > 0 ? [ping] : []),
    settings: () => [frame(frameTypes.settings, 0)],
    'streams that are reset': (stream: number) => [
      callHeaders(stream, DELTA, [['authorization', 'Bearer wrong']]),
      frame(frameTypes.reset, stream, Buffer.from([0, 0, 0, 8])),
    ],
  }
  for (const [what, frames] of Object.entries(floods))
    for (const isSecure of [false, true])
      test(`end with a flood of ${what}${isSecure ? ', encrypted' : ''}`, async () => {
        using certificate = { kept: certificateOfToday(), [Symbol.dispose]: () => certificate.kept.close() }
        await using server = await startXdsServer({
          mode: 'either',
          certificate: certificate.kept,
          authenticate: byToken,
        })
        using proxy = await honestProxy(server)
        using flood = await openRawFrames(server.port, { ...attacker, isSecure })
        for (let stream = 1; !flood.socket.destroyed; stream += 200) {
          for (let next = 0; next < 200; next += 2) flood.write(...frames(stream + next))
          await new Promise(setImmediate)
        }
        await assertServed(server, proxy)
      })

  test('have sixteen streams at a time', async () => {
    await using server = await startXdsServer({ authenticate: () => new Promise(() => undefined) })
    using frames = await openRawFrames(server.port, attacker)
    for (let stream = 1; stream <= 2 * 17; stream += 2)
      frames.write(callHeaders(stream, DELTA, [['authorization', 'Bearer any']]))
    const reset = await frames.next(frameTypes.reset)
    assert.deepEqual([reset?.stream, reset?.payload.readUInt32BE(0)], [33, REFUSED_STREAM])
  })

  test('are not harmed by headers that are too large', async () => {
    await using server = await startXdsServer({ authenticate: byToken })
    using proxy = await honestProxy(server)
    using frames = await openRawFrames(server.port, attacker)
    const many = Array.from({ length: 9 }, (_, index) => [`x-${index}`, 'x'.repeat(1_700)] as const)
    frames.write(callHeaders(1, DELTA, [...many, ['authorization', 'Bearer wrong']]))
    assert.equal((await frames.next(frameTypes.headers))?.stream, 1)
    const larger = Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'x'.repeat(60)] as const)
    frames.write(callHeaders(3, DELTA, larger))
    assert.equal((await frames.next(frameTypes.reset))?.stream, 3)
    await assertServed(server, proxy)
  })
})

const REFUSED_STREAM = 7

suite('streams of discovery', () => {
  test('have a limit for each service account', async () => {
    await using server = await startXdsServer({
      authenticate: (token) => Promise.resolve({ namespace: 'default', name: token }),
      maxStreamsPerAccount: 1,
    })
    using first = openRawClient(server.port, { token: 'greedy', role: 'default~greedy' })
    first.send()
    await first.next()
    using second = openRawClient(server.port, { token: 'greedy', role: 'default~greedy' })
    assert.equal(await second.ended, '8 there are 1 streams of default/greedy already')
    using other = openRawClient(server.port, { token: 'web' })
    other.send()
    await other.next()
    first[Symbol.dispose]()
    while (server.streams > 1) await new Promise(setImmediate)
    using third = openRawClient(server.port, { token: 'greedy', role: 'default~greedy' })
    third.send()
    await third.next()
  })

  test('begin with as many names as a proxy may have, and not with more bytes than that needs', async () => {
    await using server = await startXdsServer()
    const names = (count: number, bytes: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`.padEnd(bytes, 'n'), 'v']))
    using large = openRawClient(server.port)
    large.send({ initialResourceVersions: names(20_000, 100) })
    let removed = 0
    while (removed < 20_000) {
      const response = await large.next()
      removed += response.removedResources.length
      large.accept(response)
    }
    using tooLarge = openRawClient(server.port)
    tooLarge.send({ initialResourceVersions: names(100, 170_000) })
    assert.match(await tooLarge.ended, /^8 .*larger than max|^8 /i)
    using tooMany = openRawClient(server.port)
    tooMany.send({ resourceNamesSubscribe: Object.keys(names(200_001, 8)) })
    assert.equal(await tooMany.ended, '8 more than 200000 names of resources')
    using tooLong = openRawClient(server.port)
    for (let index = 0; index < 3; index++)
      tooLong.send({ resourceNamesSubscribe: Object.keys(names(100, 120_000)) })
    assert.equal(await tooLong.ended, '8 more than 33554432 bytes of names of resources')
  })

  test('end if a client does not read, and it may come back', async () => {
    await using server = await startXdsServer({ authenticate: byToken, readMs: 5_000 })
    using proxy = await honestProxy(server)
    const large = Array.from({ length: 8 }, (_, index) => replyRoute(`r${index}`, 'x'.repeat(2 ** 20)))
    using frames = await openRawFrames(server.port, attacker)
    frames.write(callHeaders(1, DELTA, [['authorization', 'Bearer honest']]))
    frames.write(frame(frameTypes.data, 1, firstRequest()))
    while (server.streams < 2) await new Promise(setImmediate)
    server.sets.set('default/web', large)
    // It reads what comes, and grants no further credit: the window of the stream is never opened.
    await frames.closed
    assert.equal(await server.nextEnd(), 'slow')
    for (let received = 0; received < large.length;) {
      const response = await proxy.next()
      received += response.resources.length
      proxy.accept(response)
    }
    using again = await honestProxy(server)
    assert.equal(server.streams, 2)
    again.send()
  })
})

/** The first request of `default/web`, as a message of gRPC. */
const firstRequest = (): Buffer => {
  const field = (number: number, value: Buffer) =>
    Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value])
  const text = (value: string) => Buffer.from(value)
  const value = field(3, text('default~web'))
  const metadata = field(1, Buffer.concat([field(1, text('role')), field(2, value)]))
  const node = Buffer.concat([field(1, text('slow')), field(3, metadata)])
  const type = text('type.googleapis.com/agentgateway.dev.resource.Resource')
  const message = Buffer.concat([field(1, node), field(2, type)])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

suite('a flood of invented tokens', () => {
  test('of one address leaves proxies of others served', async () => {
    const reviews: string[] = []
    const open: (() => void)[] = []
    await using server = await startXdsServer({
      authenticate: tokenReviews(({ spec: { token } }) => {
        reviews.push(token)
        const isHonest = token === honest
        return new Promise((resolve) => {
          open.push(() =>
            resolve({
              status: {
                authenticated: isHonest,
                audiences: ['agentgateway'],
                user: { username: 'system:serviceaccount:default:web' },
              },
            }),
          )
        })
      }),
    })
    const honest = xdsToken('default/web')
    // 20 connections of 16 streams are more than the queue takes.
    for (let connection = 0; connection < 20; connection++) {
      const frames = await openRawFrames(server.port, attacker)
      for (let stream = 1; stream < 32; stream += 2)
        frames.write(
          callHeaders(stream, DELTA, [
            ['authorization', `Bearer ${xdsToken('default/web', { jti: `${connection}-${stream}` })}`],
          ]),
        )
    }
    while (server.authenticated.length < 20 * 16 - 256 - 16) await new Promise(setImmediate)
    assert.equal(reviews.length, 16)
    using proxy = openRawClient(server.port, { token: honest })
    proxy.send()
    const first = proxy.next()
    // Attackers' reviews end one after another: it is the proxy's turn among the next two.
    while (!reviews.includes(honest)) {
      open.shift()?.()
      await new Promise(setImmediate)
    }
    assert.ok(reviews.length < 16 + 256, `${reviews.length} reviews before it`)
    for (const end of open.splice(0)) end()
    await first
  })
})
