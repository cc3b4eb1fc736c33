import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { xdsResource } from '../../../../src/config/xds/xds-resource.ts'
import { namesIn, openRawClient } from '../../../support/xds/raw-xds-client.ts'
import { replyRoute, startXdsServer } from '../../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'
const [a, b, c] = [replyRoute('a', 'a'), replyRoute('b', 'b'), replyRoute('c', 'c')]
const nameOf = (route: string) => `route/HTTPRoute/default/${route}/00`

suite('a subscription to the resources of a gateway', () => {
  test('is answered although there are none', async () => {
    await using server = await startXdsServer()
    using client = openRawClient(server.port)
    client.send()
    const response = await client.next()
    assert.deepEqual(namesIn(response), [])
    assert.notEqual(response.nonce, '')
  })

  test('is answered for a type that nobody has', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a])
    using client = openRawClient(server.port)
    client.send({ typeUrl: 'type.googleapis.com/other' })
    const response = await client.next()
    assert.equal(response.typeUrl, 'type.googleapis.com/other')
    assert.deepEqual(namesIn(response), [])
  })

  test('brings what the gateway has, then what is added, changed and removed', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a, b])
    server.sets.set('default/other', [c])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send()
    const first = await client.next()
    assert.deepEqual(namesIn(first), [nameOf('a'), nameOf('b')])
    client.accept(first)
    server.sets.set(GATEWAY, [replyRoute('a', 'changed'), replyRoute('b', 'b'), c])
    const second = await client.next()
    assert.deepEqual(namesIn(second), [nameOf('a'), nameOf('c')])
    client.accept(second)
    server.sets.set(GATEWAY, undefined)
    assert.deepEqual(
      namesIn(await client.next()),
      ['a', 'b', 'c'].map((name) => `-${nameOf(name)}`),
    )
  })

  test('brings a burst of changes as one response', async () => {
    await using server = await startXdsServer()
    using client = openRawClient(server.port)
    client.send()
    client.accept(await client.next())
    server.sets.set(GATEWAY, [a])
    server.sets.set(GATEWAY, [a, b])
    server.sets.set(GATEWAY, [b, c])
    assert.deepEqual(namesIn(await client.next()), [nameOf('b'), nameOf('c')])
  })

  test('continues with the versions that the client has', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a, b])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send({
      initialResourceVersions: { [nameOf('a')]: a.version, [nameOf('b')]: 'old', [nameOf('gone')]: '1' },
    })
    assert.deepEqual(namesIn(await client.next()), [nameOf('b'), `-${nameOf('gone')}`])
  })

  test('by name brings these only, and says of a missing one that it is', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a, b])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send({ resourceNamesSubscribe: [nameOf('a'), nameOf('missing')] })
    const first = await client.next()
    assert.deepEqual(namesIn(first), [nameOf('a'), `-${nameOf('missing')}`])
    client.accept(first)
    client.send({ resourceNamesSubscribe: [nameOf('b')], resourceNamesUnsubscribe: [nameOf('a')] })
    const second = await client.next()
    assert.deepEqual(namesIn(second), [nameOf('b')])
    client.accept(second)
    server.sets.set(GATEWAY, [replyRoute('a', 'changed'), replyRoute('b', 'changed')])
    assert.deepEqual(namesIn(await client.next()), [nameOf('b')])
  })

  test('by a name that it has already brings it again, unless the client says that it has it', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a, b])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send({
      resourceNamesSubscribe: [nameOf('a'), nameOf('b')],
      initialResourceVersions: { [nameOf('a')]: a.version },
    })
    const first = await client.next()
    assert.deepEqual(namesIn(first), [nameOf('b')])
    client.accept(first)
    client.send({ resourceNamesSubscribe: [nameOf('a')] })
    assert.deepEqual(namesIn(await client.next()), [nameOf('a')])
  })

  test('to everything may end, and brings what it still names', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a, b])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send({ resourceNamesSubscribe: ['*', nameOf('b')] })
    client.accept(await client.next())
    client.send({ resourceNamesUnsubscribe: ['*'], resourceNamesSubscribe: [nameOf('b')] })
    client.accept(await client.next())
    server.sets.set(GATEWAY, [replyRoute('a', 'changed'), replyRoute('b', 'changed'), c])
    assert.deepEqual(namesIn(await client.next()), [nameOf('b')])
  })

  test('is split where it is large, and says that more follows', async () => {
    await using server = await startXdsServer()
    const large = Array.from({ length: 30 }, (_, index) =>
      xdsResource('backend', `b${index}`, { name: 'x'.repeat(250_000), host: 'a:1' }),
    )
    server.sets.set(GATEWAY, large)
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send()
    const parts = []
    do {
      parts.push(await client.next())
      client.accept(parts.at(-1)!)
    } while (parts.at(-1)?.more)
    assert.deepEqual(
      parts.flatMap(namesIn),
      large.map(({ key }) => `backend/${key}`),
    )
    assert.ok(parts.length > 2 && parts.every(({ resources }) => resources.length < 10))
  })

  test('of a client that accepts nothing gets its backlog as one response later', async () => {
    await using server = await startXdsServer()
    using client = openRawClient(server.port)
    client.send()
    const unanswered = [await client.next()]
    while (unanswered.length < 4) {
      server.sets.set(GATEWAY, [replyRoute('a', String(unanswered.length))])
      unanswered.push(await client.next())
    }
    using other = openRawClient(server.port)
    other.send()
    other.accept(await other.next())
    for (const body of ['x', 'y', 'z']) {
      server.sets.set(GATEWAY, [replyRoute('a', body), ...(body === 'x' ? [b] : [c])])
      other.accept(await other.next())
    }
    client.accept(unanswered[0]!)
    assert.deepEqual(namesIn(await client.next()), [nameOf('a'), nameOf('c')])
  })
})

suite('the answer of a client', () => {
  test('that refuses is reported, and brings nothing before something changes', async () => {
    await using server = await startXdsServer()
    server.sets.set(GATEWAY, [a])
    server.sets.synced()
    using client = openRawClient(server.port)
    client.send()
    const { nonce } = await client.next()
    client.send({ responseNonce: nonce, errorDetail: { code: 3, message: 'no such thing' } })
    assert.deepEqual(await server.nextRejection(), {
      role: GATEWAY,
      node: 'proxy',
      message: 'no such thing',
    })
    server.sets.set(GATEWAY, [a, b])
    assert.deepEqual(namesIn(await client.next()), [nameOf('b')])
  })

  test('to a response that is not the one under way is ignored', async () => {
    await using server = await startXdsServer()
    using client = openRawClient(server.port)
    client.send()
    const { nonce } = await client.next()
    client.send({ responseNonce: 'stale', errorDetail: { code: 3, message: 'stale' } })
    client.send({ responseNonce: nonce, errorDetail: { code: 3, message: 'this one' } })
    assert.equal((await server.nextRejection()).message, 'this one')
  })
})
