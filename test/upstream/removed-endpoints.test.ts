import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../src/model/exchange/body.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { beginCall, callUpstream } from '../support/call-upstream.ts'
import {
  commitService,
  encrypted,
  http2,
  longConnects,
  service,
  serviceAt,
  sessionOf,
  textOf,
  withLongConnects,
} from '../support/changing-service.ts'
import { openServer, silentServer } from '../support/delayed-server.ts'
import { snapshotOf } from '../support/resources.ts'
import { silentAddress } from '../support/silent-address.ts'
import { streamBody, until } from '../support/stream-body.ts'

const post = (parts: Parameters<typeof exchange>[0] = {}) => exchange({ method: 'POST', ...parts })

const negotiated: BackendPolicies = {
  backendTLS: { ...encrypted.backendTLS!, alpn: ['h2', 'http/1.1'] },
}

const kinds: readonly (readonly [string, Parameters<typeof exchange>[0], BackendPolicies])[] = [
  ['without a body', {}, encrypted],
  ['with a body', { method: 'POST', body: 'all' }, encrypted],
  ['over HTTP/2', { method: 'POST', body: 'all' }, http2],
  ['over what is negotiated', { method: 'POST', body: 'all' }, negotiated],
  ['for OPTIONS *', { method: 'OPTIONS', path: '*' }, encrypted],
  ['for a protocol', { upgrade: 'websocket' }, encrypted],
  ['for a tunnel', { method: 'CONNECT', authority: 'up.test:443' }, encrypted],
]

test('a connection attempt to an endpoint that a service removes', async (t) => {
  for (const [name, parts, policies] of kinds)
    await t.test(`ends at once, ${name}: the request gets 503 if there is no other`, async () => {
      await using gone = await silentServer()
      await withLongConnects({}, async (registry) => {
        const before = commitService(registry, serviceAt([gone]), policies)
        const response = beginCall(before, exchange(parts))
        await until(() => gone.opened() === 1)
        commitService(registry, serviceAt([]), policies)
        const { fault } = await response.responded
        assert.deepEqual(
          [fault?.status, fault?.code, fault?.message, fault?.reason],
          [503, 'no_endpoint', 'no healthy backends', 'NoHealthyBackend'],
        )
        await until(() => gone.sockets.size === 0)
      })
    })

  await t.test('ends at once before the host has answered', async () => {
    await using gone = await silentAddress()
    await withLongConnects({}, async (registry) => {
      const response = beginCall(commitService(registry, serviceAt([gone])), exchange())
      await new Promise(setImmediate)
      commitService(registry, serviceAt([]))
      assert.equal(await textOf(response), '503 no_endpoint')
    })
  })

  for (const [name, policies] of [
    ['HTTP/1.1', encrypted],
    ['HTTP/2', http2],
    ['what is negotiated', negotiated],
  ] as const)
    for (const [what, parts] of [
      ['no body', { method: 'POST' }],
      ['a body', { method: 'POST', body: 'all' }],
      ['a body that streams in', { method: 'POST', body: streamBody(['a', 'll']) }],
      ['a body with trailers', { method: 'POST', hasTrailers: true, body: streamBody(['a', 'll']) }],
    ] as const)
      await t.test(`leaves a request with ${what} over ${name} to a new endpoint`, async () => {
        await using gone = await silentServer()
        await using open = await openServer('open')
        await withLongConnects({}, async (registry) => {
          const before = commitService(registry, serviceAt([gone]), policies)
          const x = exchange(parts)
          const response = beginCall(before, x)
          await until(() => gone.opened() === 1)
          commitService(registry, serviceAt([open]), policies)
          assert.equal(await textOf(response), `open POST ${'body' in parts ? 'all' : ''}`)
          assert.equal(x.upstream.endpoint, `127.0.0.1:${open.port}`)
        })
      })

  await t.test('leaves a request to an endpoint that stays', async () => {
    await using gone = await silentServer()
    await using open = await openServer('open')
    await withLongConnects({}, async (registry) => {
      const before = commitService(registry, serviceAt([gone, open]))
      const responses = Array.from({ length: 8 }, () =>
        beginCall(before, post({ body: streamBody(['a', 'll']) })),
      )
      await until(() => gone.opened() > 0)
      commitService(registry, serviceAt([open]))
      for (const response of responses) assert.equal(await textOf(response), 'open POST all')
    })
  })

  await t.test('ends with those that are queued for the connections of a limited pool', async () => {
    await using gone = await silentServer()
    await withLongConnects({ upstream: { ...longConnects, poolMaxSize: 1 } }, async (registry) => {
      const before = commitService(registry, serviceAt([gone]))
      const responses = Array.from({ length: 4 }, () => beginCall(before, exchange()))
      await until(() => gone.opened() === 1)
      commitService(registry, serviceAt([]))
      for (const response of responses) assert.equal(await textOf(response), '503 no_endpoint')
      assert.equal(gone.opened(), 1)
    })
  })

  await t.test('is not made any more for a request that was admitted before', async () => {
    await using gone = await openServer('gone')
    await using open = await openServer('open')
    await withLongConnects({}, async (registry) => {
      const single = commitService(registry, serviceAt([gone]))
      const several = commitService(registry, serviceAt([gone, gone]))
      commitService(registry, serviceAt([open]))
      for (const before of [single, several])
        assert.equal((await callUpstream(before, exchange())).text, 'open GET ')
      assert.equal(gone.opened(), 0)
    })
  })

  await t.test('is made again when the endpoint is back', async () => {
    await using open = await openServer('open')
    await withLongConnects({}, async (registry) => {
      const before = commitService(registry, serviceAt([open]))
      commitService(registry, serviceAt([]))
      assert.equal((await callUpstream(before, exchange())).response.fault?.code, 'no_endpoint')
      const after = commitService(registry, serviceAt([open]))
      for (const one of [before, after]) assert.equal((await callUpstream(one, exchange())).text, 'open GET ')
    })
  })

  await t.test('leaves a callout or a mirrored request to another one', async () => {
    await using gone = await silentServer()
    const seen: string[] = []
    await using open = await openServer('open', (line) => seen.push(line))
    let mirrors = 0
    const mirrored = () => mirrors++
    await withLongConnects({ mirrored }, async (registry) => {
      const resources = serviceAt([gone])
      const session = sessionOf(registry, resources)
      const callout = session.httpCallout(service, encrypted)!
      const mirror = session.mirror(service, encrypted)
      session.commit({ ...snapshotOf(resources), exchanges: 1 })
      const request = () => ({ method: 'POST', target: '/', headers: new Headers([]) })
      const body = Buffer.from('callout')
      const response = callout({ ...request(), body, timeoutMs: 600_000, limitBytes: 100 })
      const copy = mirror({ ...request(), authority: 'up.test', body: new BufferBody('mirror') })
      await until(() => gone.opened() === 2)
      commitService(registry, serviceAt([open]))
      assert.equal(String((await response).body), 'open POST callout')
      await copy
      assert.deepEqual(seen.sort(), ['POST callout', 'POST mirror'])
      assert.equal(mirrors, 1)
    })
  })
})
