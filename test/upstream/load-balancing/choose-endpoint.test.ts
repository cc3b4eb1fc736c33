import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../src/testing/exchange.ts'
import { chooseEndpoint } from '../../../src/upstream/load-balancing/choose-endpoint.ts'
import {
  type Balancer,
  BetterOfTwo,
  ByKey,
  LeastRequest,
  RoundRobin,
  WeightedRandom,
} from '../../../src/upstream/load-balancing/balancer.ts'
import { hashText } from '../../../src/upstream/load-balancing/rendezvous-hash.ts'
import { EndpointHealth } from '../../../src/upstream/load-balancing/outlier-detection.ts'

const make = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const name = `10.0.0.${i + 1}:80`
    return { name, health: new EndpointHealth(), seed: hashText(name) }
  })

/** Deterministic pseudo-random numbers. */
const sequence = () => {
  let state = 1
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** An exchange whose key is its path. */
const asking = (key: string) => exchange({ path: `/${key}` })
const byKey = new ByKey(({ request }) => ({ value: request.path }), new BetterOfTwo(() => 0))

test('the choice of an endpoint', async (t) => {
  await t.test('spreads calls evenly over equals', () => {
    const all = make(4)
    const random = sequence()
    const counts = new Map<string, number>()
    for (let i = 0; i < 8_000; i++) {
      const { name } = chooseEndpoint(all, { now: 0, balancer: new BetterOfTwo(random) })!
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const count of counts.values()) assert.ok(count > 1_700 && count < 2_300, `${count} of 8000`)
    assert.equal(counts.size, 4)
  })

  await t.test('prefers the better of two', () => {
    const [a, b] = make(2)
    a!.health.failed(0, undefined)
    const random = sequence()
    for (let i = 0; i < 100; i++)
      assert.equal(chooseEndpoint([a!, b!], { now: 0, balancer: new BetterOfTwo(random) }), b)
  })

  await t.test('never draws the same endpoint twice', () => {
    const [a, b] = make(2)
    b!.health.failed(0, undefined)
    for (const draw of [0, 0.49, 0.5, 0.999])
      assert.equal(chooseEndpoint([a!, b!], { now: 0, balancer: new BetterOfTwo(() => draw) }), a)
  })

  await t.test('skips evicted ones, and uses them if there are no others', () => {
    const all = make(3)
    const random = sequence()
    all[0]!.health.failed(0, { durationMs: 100 })
    all[1]!.health.failed(0, { durationMs: 100 })
    for (let i = 0; i < 50; i++)
      assert.equal(chooseEndpoint(all, { now: 50, balancer: new BetterOfTwo(random) }), all[2])
    all[2]!.health.failed(0, { durationMs: 100 })
    assert.ok(chooseEndpoint(all, { now: 50, balancer: new BetterOfTwo(random) }))
    const seen = new Set(
      Array.from({ length: 100 }, () => chooseEndpoint(all, { now: 100, balancer: new BetterOfTwo(random) })),
    )
    assert.equal(seen.size, 3)
  })

  await t.test('skips those that have been tried, and tries them again if there are no others', () => {
    const all = make(2)
    const random = sequence()
    for (let i = 0; i < 50; i++)
      assert.equal(
        chooseEndpoint(all, { now: 0, balancer: new BetterOfTwo(random), tried: [all[0]!] }),
        all[1],
      )
    assert.ok(chooseEndpoint(all, { now: 0, balancer: new BetterOfTwo(random), tried: all }))
  })

  await t.test('is undefined without endpoints', () => {
    const nobody = chooseEndpoint<ReturnType<typeof make>[number]>([], {
      now: 0,
      balancer: new BetterOfTwo(Math.random),
    })
    assert.equal(nobody, undefined)
  })

  await t.test('is stable as long as the key is the same', () => {
    const all = make(5)
    const first = chooseEndpoint(all, { now: 0, balancer: byKey, x: asking('alice') })
    for (let i = 0; i < 50; i++)
      assert.equal(chooseEndpoint(all, { now: 0, balancer: byKey, x: asking('alice') }), first)
    assert.equal(chooseEndpoint([...all].reverse(), { now: 0, balancer: byKey, x: asking('alice') }), first)
  })

  await t.test('spreads keys evenly, and moves only the keys of a removed endpoint', () => {
    const all = make(5)
    const owners = Array.from({ length: 5_000 }, (_, i) =>
      chooseEndpoint(all, { now: 0, balancer: byKey, x: asking(`user-${i}`) }),
    )
    for (const one of all) {
      const count = owners.filter((owner) => owner === one).length
      assert.ok(count > 880 && count < 1_120, `${count} of 5000`)
    }
    const [gone, ...rest] = all
    owners.forEach((owner, i) => {
      const now = chooseEndpoint(rest, { now: 0, balancer: byKey, x: asking(`user-${i}`) })
      if (owner !== gone) assert.equal(now, owner)
    })
  })

  await t.test('moves a key away from an evicted endpoint, and back', () => {
    const all = make(3)
    const owner = chooseEndpoint(all, { now: 0, balancer: byKey, x: asking('k') })!
    owner.health.failed(0, { durationMs: 100 })
    assert.notEqual(chooseEndpoint(all, { now: 50, balancer: byKey, x: asking('k') }), owner)
    assert.equal(chooseEndpoint(all, { now: 100, balancer: byKey, x: asking('k') }), owner)
  })
})

test('load balancing', async (t) => {
  const choices = (weights: readonly number[]) =>
    weights.map((weight, i) => ({
      name: String(i),
      weight,
      health: new EndpointHealth(),
      seed: hashText(`h${i}`),
    }))
  const draw = (balancer: Balancer, all: ReturnType<typeof choices>, count: number): string =>
    Array.from({ length: count }, () => chooseEndpoint(all, { now: 0, balancer })?.name).join('')

  await t.test('by round robin takes turns, also while an endpoint is skipped', () => {
    const all = choices([1, 1, 1, 1])
    const balancer = new RoundRobin()
    assert.equal(draw(balancer, all, 8), '01230123')
    all[1]!.health.checked(0, 'down')
    const counts = draw(balancer, all, 300)
    for (const name of ['0', '2', '3']) assert.equal(counts.replaceAll(name, '').length, 200)
  })

  await t.test('by least request prefers the fewest active calls, by weight, and else takes turns', () => {
    const all = choices([1, 1, 2])
    const balancer = new LeastRequest()
    assert.equal(draw(balancer, all.slice(0, 2), 4), '0101')
    all[0]!.health.pending = 3
    all[1]!.health.pending = 2
    all[2]!.health.pending = 3
    assert.equal(draw(balancer, all, 3), '222')
    all[2]!.health.pending = 5
    assert.equal(draw(balancer, all, 3), '111')
  })

  await t.test('by random draws by weight', () => {
    const all = choices([1, 3])
    const random = sequence()
    const drawn = draw(new WeightedRandom(random), all, 4_000)
    const first = drawn.replaceAll('1', '').length
    assert.ok(first > 850 && first < 1_150, `${first} of 4000`)
  })

  await t.test('by key chooses as often as its weight says', () => {
    const all = choices([1, 3])
    const first = Array.from({ length: 4_000 }, (_, i) =>
      chooseEndpoint(all, { now: 0, balancer: byKey, x: asking(`user-${i}`) }),
    ).filter((one) => one === all[0]).length
    assert.ok(first > 850 && first < 1_150, `${first} of 4000`)
  })

  await t.test('starts slowly with an endpoint that is back, in any mode', () => {
    const all = [0, 1].map((i) => ({
      name: String(i),
      seed: i,
      health: new EndpointHealth({ slowStartMs: 1_000 }),
    }))
    all[1]!.health.checked(0, 'down')
    all[1]!.health.checked(10_000, undefined)
    const balancer = new RoundRobin()
    const share = (now: number) =>
      Array.from({ length: 1_100 }, () => chooseEndpoint(all, { now, balancer })?.name).filter(
        (name) => name === '1',
      ).length
    assert.deepEqual([share(10_000), share(11_000)], [100, 550])
    const between = share(10_500)
    assert.ok(between > 360 && between < 372, `${between} of 1100`)
  })
})
