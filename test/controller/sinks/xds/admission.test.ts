import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { AuthenticationError } from '../../../../src/controller/sinks/xds/authentication.ts'
import { ResourceSets } from '../../../../src/controller/sinks/xds/resource-sets.ts'
import { namesIn, openRawClient } from '../../../support/xds/raw-xds-client.ts'
import { replyRoute, startXdsServer } from '../../../support/xds/xds-server.ts'

const byToken = (token: string) => {
  const [namespace, name] = token.split('/')
  return namespace !== undefined && name !== undefined
    ? Promise.resolve({ namespace, name })
    : Promise.reject(new AuthenticationError('not one of ours'))
}

suite('a server of discovery', () => {
  test('has no stream before it knows what there is', async () => {
    const sets = new ResourceSets()
    await using server = await startXdsServer({ sets })
    using early = openRawClient(server.port)
    assert.equal(await early.ended, '14 server is not ready to serve discovery information')
    sets.synced()
    using later = openRawClient(server.port)
    later.send()
    assert.deepEqual(namesIn(await later.next()), [])
  })

  test('refuses a client that does not say who it is', async () => {
    await using server = await startXdsServer()
    using nameless = openRawClient(server.port)
    nameless.send({ node: {} })
    assert.equal(await nameless.ended, '3 missing node information')
    using aimless = openRawClient(server.port, { role: 'web' })
    aimless.send()
    assert.equal(await aimless.ended, '3 node.metadata.role must be <namespace>~<gateway>')
  })

  test('does not serve whole states', async () => {
    await using server = await startXdsServer()
    using client = openRawClient(server.port, { method: 'StreamAggregatedResources' })
    assert.equal(await client.ended, '12 not supported')
  })

  test('has a limit of streams', async () => {
    await using server = await startXdsServer({ maxStreams: 1 })
    using first = openRawClient(server.port)
    first.send()
    await first.next()
    using second = openRawClient(server.port)
    assert.equal(await second.ended, '8 there are 1 streams already')
  })

  test('gives an account the gateway of its name, and no other', async () => {
    await using server = await startXdsServer({ authenticate: byToken })
    server.sets.set('default/web', [replyRoute('secret', 'secret')])
    server.sets.synced()
    using own = openRawClient(server.port, { token: 'default/web' })
    own.send()
    assert.equal((await own.next()).resources.length, 1)
    using thief = openRawClient(server.port, { token: 'default/other' })
    thief.send()
    assert.equal(
      await Promise.race([thief.ended, thief.next().then(namesIn)]),
      '7 requested gateway default/web but authenticated as default/other',
    )
    assert.deepEqual(server.authenticated, [true, true])
  })

  test('refuses callers without a token, and with one that is not accepted', async () => {
    await using server = await startXdsServer({ authenticate: byToken })
    using without = openRawClient(server.port)
    assert.equal(await without.ended, '16 authentication failed: there is no bearer token')
    using wrong = openRawClient(server.port, { token: 'wrong' })
    assert.equal(await wrong.ended, '16 authentication failed: not one of ours')
    assert.deepEqual(server.authenticated, [false, false])
  })

  test('does not tell callers why their token could not be reviewed', async () => {
    await using server = await startXdsServer({
      authenticate: () => Promise.reject(new Error('secret detail')),
    })
    using client = openRawClient(server.port, { token: 'any' })
    assert.equal(await client.ended, '14 authentication failed: the token cannot be reviewed now')
  })
})
