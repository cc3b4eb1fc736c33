import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Daemon } from '../../test/support/daemon.ts'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

/** One server of the shop. */
const startPlace = async (name: string) => {
  const place = { name, calls: 0, isBroken: false }
  const server = await startUpstream((req, res) => {
    place.calls++
    res.writeHead(place.isBroken ? 500 : 200).end(`${name} ${req.headers.host ?? ''}`)
  })
  return { place, server }
}

/** The name of the server that replied, or a status. */
const visit = async (daemon: Daemon, path = '/', headers = {}): Promise<string> => {
  const { status, text } = await sendRequest(daemon.url('default'), path, { headers })
  return status === 200 ? (text.split(' ')[0] ?? '') : String(status)
}

/** Starts the configuration with several backends in one route. */
const startBackends = (hosts: readonly string[]) => {
  const places = Object.fromEntries(hosts.map((host, i) => [`SHOP_${i + 1}`, host]))
  return startExample(
    'load-balancing',
    { ...places, EVICTION: '100ms', INTERVAL: '100ms', SLOW_START: '0s' },
    'backends.yaml',
  )
}

const visits = async (daemon: Daemon, times: number): Promise<Set<string>> => {
  const places = new Set<string>()
  for (let i = 0; i < times; i++) places.add(await visit(daemon))
  return places
}

test('examples/load-balancing', async (t) => {
  const started = await Promise.all(['one', 'two', 'three'].map(startPlace))
  t.after(() => Promise.all(started.map(({ server }) => server[Symbol.asyncDispose]())))
  const places = started.map(({ place }) => place)
  const [one, two, three] = places
  assert.ok(one && two && three)
  const addresses = started.flatMap(({ server }, i): [string, string][] => [
    [`SHOP_${i + 1}`, '127.0.0.1'],
    [`SHOP_${i + 1}_PORT`, server.host.split(':')[1] ?? ''],
  ])
  const start = (EVICTION: string) =>
    startExample('load-balancing', { EVICTION, ...Object.fromEntries(addresses) })

  await t.test('with a failing endpoint', async (t) => {
    await using daemon = await start('30s')
    one.isBroken = true

    await t.test('retries its requests elsewhere, and then evicts it', async () => {
      const seen = await visits(daemon, 60)
      assert.deepEqual([seen.has('500'), seen.has('one'), one.calls], [false, false, 1])
    })

    await t.test('keeps sessions on their endpoint until that one fails', async () => {
      const cart = (session: number) => visit(daemon, '/cart', { 'x-session': String(session) })
      const homes: string[] = []
      for (let session = 0; session < 20; session++) homes.push(await cart(session))
      assert.deepEqual(new Set(homes), new Set(['two', 'three']))
      for (const [session, home] of homes.entries()) assert.equal(await cart(session), home)
      const [home, other] = homes[0] === 'two' ? [two, three] : [three, two]
      home.isBroken = true
      assert.deepEqual([await cart(0), await cart(0)], ['500', other.name])
    })

    await t.test('still tries endpoints if none is healthy', async () => {
      for (const place of places) Object.assign(place, { isBroken: true, calls: 0 })
      assert.deepEqual(await visits(daemon, 6), new Set(['500']))
      assert.equal(one.calls + two.calls + three.calls, 12)
    })
  })

  await t.test('uses every endpoint, also one that has recovered', async () => {
    for (const place of places) Object.assign(place, { isBroken: false, calls: 0 })
    await using daemon = await start('20ms')
    one.isBroken = true
    await Promise.all(Array.from({ length: 40 }, () => visit(daemon)))
    assert.ok(one.calls > 0 && two.calls > 0 && three.calls > 0)
    one.isBroken = false
    const deadline = performance.now() + 60_000
    while ((await visit(daemon)) !== 'one') assert.ok(performance.now() < deadline)
    assert.match((await sendRequest(daemon.url('default'), '/')).text, / shop\.internal$/)
  })

  await t.test('with several backends in one route', async (t) => {
    for (const place of places) Object.assign(place, { isBroken: false, calls: 0 })
    await using daemon = await startBackends(started.map(({ server }) => server.host))
    const seen = async (path: string, times: number, headers = {}) => {
      let all = ''
      for (let i = 0; i < times; i++) all += ` ${await visit(daemon, path, headers)}`
      return all.trim()
    }

    await t.test('splits requests by weight, with one server in reserve', async () => {
      assert.equal(await seen('/', 4), 'one one two one')
    })

    await t.test('uses the reserve only while the others are unhealthy', async () => {
      Object.assign(one, { isBroken: true })
      Object.assign(two, { isBroken: true })
      while ((await seen('/', 4)) !== 'three three three three') await new Promise(setImmediate)
      Object.assign(one, { isBroken: false })
      while ((await seen('/', 4)) !== 'one one one one') await new Promise(setImmediate)
    })

    await t.test('keeps visitors on one server, and sends reports to the least loaded one', async () => {
      Object.assign(two, { isBroken: false })
      // With its return some visitors move.
      while ((await visit(daemon)) !== 'two') await new Promise(setImmediate)
      const home = await seen('/cart', 1, { 'x-visitor': '4711' })
      assert.equal(await seen('/cart', 3, { 'x-visitor': '4711' }), `${home} ${home} ${home}`)
      assert.deepEqual((await seen('/reports', 4)).split(' ').sort(), ['one', 'one', 'two', 'two'])
    })
  })
})
