import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { ownNames } from '../../support/resolver-names.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'

interface Place {
  readonly name: string
  calls: number
  /** The status of its responses; `hangs` never responds. */
  does: number | 'hangs'
  upstream: Upstream
}

const startPlace = async (name: string): Promise<Place> => {
  const place = { name, calls: 0, does: 200 as Place['does'] }
  const upstream = await startUpstream((req, res) => {
    place.calls++
    req.resume()
    if (place.does === 'hangs') return
    res.writeHead(place.does).end(name)
  })
  return Object.assign(place, { upstream })
}

suite('several backends in one route', () => {
  let places: Place[]
  let daemon: Daemon
  const names = ownNames({})
  before(async () => {
    places = await Promise.all(['a', 'b', 'c'].map(startPlace))
    const [a, b, c] = places.map(({ upstream }) => upstream.host)
    const route = (name: string, policies: string, backends: readonly string[]): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    backends:${backends.map((backend) => `\n      - ${backend}`).join('')}`
    const host = (at: string | undefined, more = ''): string => `{ host: "${at ?? ''}"${more} }`
    const all = [a, b, c].map((at) => host(at))
    // Equal settings share health state: each test uses settings of its own.
    const health = (hours: number) => `health: { eviction: { consecutiveFailures: 1, duration: ${hours}h } }`
    daemon = await startDaemon(
      `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
services: [{ name: shop, hostname: shop.internal, ports: { 80: 1 } }]
workloads:
${places
  .map(
    ({ upstream }, i) =>
      `  - { uid: w${i}, workloadIps: [127.0.0.1], services: { default/shop.internal: { 80: ${upstream.host.split(':')[1] ?? ''} } } }`,
  )
  .join('\n')}
routes:${route('equal', '{}', all)}
${route('unequal', '{}', [host(a, ', weight: 3'), host(b, ', weight: 0'), host(c, ', weight: 1')])}
${route('retried', '{ retry: { attempts: 2, codes: [503] } }', all)}
${route('watched', `{ ${health(1)} }`, all)}
${route('watched-timed', `{ ${health(2)}, timeout: { backendRequestTimeout: 3s } }`, all)}
${route('uploads', `{ ${health(3)}, timeout: { requestTimeout: 3s } }`, all)}
${route('left', `{ ${health(8)} }`, all)}
${route('nameless', `{ ${health(9)} }`, [host('nowhere.invalid:80'), host(a)])}
${route('own', '{}', [host(a, `, policies: { ${health(4)} }`), host(b)])}
${route('reserve', `{ ${health(5)} }`, [host(a), host(b, ', priority: 1')])}
${route('keyed', '{ loadBalancing: { ringHash: { key: \'request.headers["x-user"]\' } } }', all)}
${route('least', '{ loadBalancing: { leastRequest: {} } }', all)}
${route('drawn', '{ loadBalancing: { random: {} } }', all)}
${route('service', '{ loadBalancing: { roundRobin: {} } }', ['service: { name: default/shop.internal, port: 80 }'])}
${route('least-service', '{}', ['{ service: { name: default/shop.internal, port: 80 }, policies: { loadBalancing: { leastRequest: {} } } }'])}
`,
      names.options,
    )
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    names[Symbol.dispose]()
    await Promise.all(places.map(({ upstream }) => upstream[Symbol.asyncDispose]()))
  })
  beforeEach(() => {
    for (const place of places) Object.assign(place, { calls: 0, does: 200 })
  })

  const get = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const { status, text } = await sendRequest(daemon.url('default'), path, { headers })
    return status === 200 ? text : String(status)
  }
  const several = async (path: string, count: number): Promise<string> => {
    let all = ''
    for (let i = 0; i < count; i++) all += await get(path)
    return all
  }
  const calls = () => places.map((place) => place.calls)

  test('are used in exact rotation if their weights are equal', async () => {
    assert.equal(await several('/equal', 9), 'abcabcabc')
  })

  test('are used by weight, and never with weight 0', async () => {
    assert.equal(await several('/unequal', 8), 'aacaaaca')
  })

  test('keep their shares without health, even if one fails', async () => {
    Object.assign(places[0] ?? {}, { does: 503 })
    assert.equal(await several('/equal', 6), '503bc503bc')
    assert.deepEqual(calls(), [2, 2, 2])
  })

  test('are each tried once by the attempts of a retry', async () => {
    for (const place of places.slice(0, 2)) place.does = 503
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/retried')))
    assert.deepEqual(new Set(answers), new Set(['c']))
    for (const place of places) Object.assign(place, { calls: 0, does: 503 })
    assert.equal(await get('/retried'), '503')
    assert.deepEqual(calls(), [1, 1, 1])
  })

  test('are evicted after failures if the route has health', async () => {
    Object.assign(places[1] ?? {}, { does: 500 })
    await several('/watched', 3)
    Object.assign(places[1] ?? {}, { does: 200, calls: 0 })
    const later = await several('/watched', 10)
    assert.equal(later, 'acacacacac'.slice(later.startsWith('a') ? 0 : 1).padEnd(10, 'a'))
    assert.equal(places[1]?.calls, 0)
  })

  test('are evicted if they accept and never respond', async () => {
    Object.assign(places[2] ?? {}, { does: 'hangs' })
    const answers = await Promise.all(Array.from({ length: 6 }, () => get('/watched-timed')))
    assert.equal(answers.filter((answer) => answer === '504').length, 2)
    Object.assign(places[2] ?? {}, { calls: 0 })
    assert.ok(!(await several('/watched-timed', 6)).includes('504'))
    assert.equal(places[2]?.calls, 0)
  })

  test('are not evicted for slow uploads of clients', async () => {
    const slow = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const req = request(`${daemon.url('default')}/uploads`, { method: 'POST', agent: false }, (res) => {
          res.resume()
          res.on('close', () => resolve(res.statusCode))
        })
        req.on('error', reject)
        req.setHeader('content-length', '10')
        req.write('12')
      })
    for (const place of places) place.does = 'hangs'
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 6 }, slow))), new Set([504]))
    for (const place of places) place.does = 200
    assert.equal((await several('/uploads', 6)).split('').sort().join(''), 'aabbcc')
  })

  test('are not evicted because clients leave', async () => {
    for (const place of places) place.does = 'hangs'
    for (let i = 1; i <= 3; i++) {
      const leaving = new AbortController()
      const left = sendRequest(daemon.url('default'), '/left', { signal: leaving.signal }).catch(() => 'left')
      while (calls().reduce((sum, count) => sum + count, 0) < i) await new Promise(setImmediate)
      leaving.abort()
      assert.equal(await left, 'left')
    }
    for (const place of places) place.does = 200
    assert.equal((await several('/left', 6)).split('').sort().join(''), 'aabbcc')
  })

  test('are skipped if their name does not resolve, which the dump shows', async () => {
    assert.deepEqual(
      new Set(await Promise.all(Array.from({ length: 6 }, () => get('/nameless')))),
      new Set(['a']),
    )
    const dump = (await (await fetch(`${daemon.url('admin')}/config_dump`)).json()) as {
      readonly health: readonly {
        readonly endpoint: string
        readonly state: string
        readonly reason?: string
      }[]
    }
    const found = dump.health.find(({ endpoint }) => endpoint === 'nowhere.invalid:80')
    assert.deepEqual([found?.state, found?.reason], ['evicted', 'upstream_dns'])
  })

  test('use their own health settings if they have any', async () => {
    Object.assign(places[0] ?? {}, { does: 500 })
    assert.equal(await several('/own', 5), '500bbbb')
    Object.assign(places[1] ?? {}, { does: 500 })
    assert.equal(await several('/own', 2), '500500')
  })

  test('are used in reserve by priority', async () => {
    assert.equal(await several('/reserve', 3), 'aaa')
    Object.assign(places[0] ?? {}, { does: 500 })
    assert.equal(await several('/reserve', 4), '500bbb')
  })

  test('serve all requests with one key', async () => {
    const homes = new Map<string, string>()
    for (let user = 0; user < 60; user++) homes.set(`u${user}`, await get('/keyed', { 'x-user': `u${user}` }))
    assert.deepEqual([...new Set(homes.values())].sort(), ['a', 'b', 'c'])
    for (const [user, home] of homes) assert.equal(await get('/keyed', { 'x-user': user }), home)
    // Requests without a key are distributed.
    assert.equal((await several('/keyed', 6)).split('').sort().join(''), 'aabbcc')
  })

  test('get the next request if they have the fewest in flight', async () => {
    for (const name of ['least', 'least-service']) {
      for (const place of places) Object.assign(place, { does: 200, calls: 0 })
      const [first] = places
      assert.ok(first)
      first.does = 'hangs'
      const waiting = new AbortController()
      const held: Promise<unknown>[] = []
      const called = (async () => {
        while (first.calls === 0) await new Promise(setImmediate)
      })()
      while (first.calls === 0) {
        held.push(
          sendRequest(daemon.url('default'), `/${name}`, { signal: waiting.signal }).catch(() => undefined),
        )
        // One at a time: only that of the endpoint that hangs is in flight afterwards.
        await Promise.race([held.at(-1), called])
      }
      const before = first.calls
      assert.ok(!(await several(`/${name}`, 10)).includes('a'))
      assert.equal(first.calls, before)
      waiting.abort()
      await Promise.all(held)
    }
  })

  test('are chosen at random if configured', async () => {
    assert.deepEqual([...new Set(await several('/drawn', 60))].sort(), ['a', 'b', 'c'])
  })

  test('can be the endpoints of a service as well', async () => {
    assert.equal((await several('/service', 6)).slice(0, 3).split('').sort().join(''), 'abc')
    for (const place of places) place.calls = 0
    await several('/service', 30)
    assert.deepEqual(calls(), [10, 10, 10])
  })
})
