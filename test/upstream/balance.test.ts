import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEndpoint } from '../../src/upstream/balance.ts'
import { hashText } from '../../src/upstream/hash.ts'
import { Health } from '../../src/upstream/health.ts'

const make = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const name = `10.0.0.${i + 1}:80`
    return { name, health: new Health(), seed: hashText(name) }
  })

/** Deterministic numbers that look random enough. */
const sequence = () => {
  let state = 1
  return () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647
    return state / 2_147_483_647
  }
}

test('the choice of an endpoint', async (t) => {
  await t.test('spreads calls evenly over equals', () => {
    const all = make(4)
    const random = sequence()
    const counts = new Map<string, number>()
    for (let i = 0; i < 8_000; i++) {
      const { name } = chooseEndpoint(all, { now: 0, random })!
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const count of counts.values()) assert.ok(count > 1_700 && count < 2_300, `${count} of 8000`)
    assert.equal(counts.size, 4)
  })

  await t.test('prefers the better of two', () => {
    const [a, b] = make(2)
    a!.health.failed(0, undefined)
    const random = sequence()
    for (let i = 0; i < 100; i++) assert.equal(chooseEndpoint([a!, b!], { now: 0, random }), b)
  })

  await t.test('never draws the same twice', () => {
    const [a, b] = make(2)
    b!.health.failed(0, undefined)
    for (const draw of [0, 0.49, 0.5, 0.999])
      assert.equal(chooseEndpoint([a!, b!], { now: 0, random: () => draw }), a)
  })

  await t.test('leaves evicted ones out, and uses them if there are no others', () => {
    const all = make(3)
    const random = sequence()
    all[0]!.health.failed(0, { durationMs: 100 })
    all[1]!.health.failed(0, { durationMs: 100 })
    for (let i = 0; i < 50; i++) assert.equal(chooseEndpoint(all, { now: 50, random }), all[2])
    all[2]!.health.failed(0, { durationMs: 100 })
    assert.ok(chooseEndpoint(all, { now: 50, random }))
    const seen = new Set(Array.from({ length: 100 }, () => chooseEndpoint(all, { now: 100, random })))
    assert.equal(seen.size, 3)
  })

  await t.test('leaves out those that have been tried, and tries them again if there are no others', () => {
    const all = make(2)
    const random = sequence()
    for (let i = 0; i < 50; i++) assert.equal(chooseEndpoint(all, { now: 0, random }, [all[0]!]), all[1])
    assert.ok(chooseEndpoint(all, { now: 0, random }, all))
  })

  await t.test('has nothing to choose from nothing', () => {
    const nobody = chooseEndpoint<ReturnType<typeof make>[number]>([], { now: 0, random: Math.random })
    assert.equal(nobody, undefined)
  })

  await t.test('stays with an endpoint as long as the key is the same', () => {
    const all = make(5)
    const random = sequence()
    const first = chooseEndpoint(all, { now: 0, random, affinity: 'alice' })
    for (let i = 0; i < 50; i++)
      assert.equal(chooseEndpoint(all, { now: 0, random, affinity: 'alice' }), first)
    assert.equal(chooseEndpoint([...all].reverse(), { now: 0, random, affinity: 'alice' }), first)
  })

  await t.test('spreads keys evenly, and moves only the keys of an endpoint that left', () => {
    const all = make(5)
    const random = sequence()
    const owners = Array.from({ length: 5_000 }, (_, i) =>
      chooseEndpoint(all, { now: 0, random, affinity: `user-${i}` }),
    )
    for (const one of all) {
      const count = owners.filter((owner) => owner === one).length
      assert.ok(count > 880 && count < 1_120, `${count} of 5000`)
    }
    const [gone, ...rest] = all
    owners.forEach((owner, i) => {
      const now = chooseEndpoint(rest, { now: 0, random, affinity: `user-${i}` })
      if (owner !== gone) assert.equal(now, owner)
    })
  })

  await t.test('moves a key away from an evicted endpoint, and back', () => {
    const all = make(3)
    const random = sequence()
    const owner = chooseEndpoint(all, { now: 0, random, affinity: 'k' })!
    owner.health.failed(0, { durationMs: 100 })
    assert.notEqual(chooseEndpoint(all, { now: 50, random, affinity: 'k' }), owner)
    assert.equal(chooseEndpoint(all, { now: 100, random, affinity: 'k' }), owner)
  })
})
