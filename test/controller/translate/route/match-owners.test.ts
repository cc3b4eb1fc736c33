import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MatchOwners } from '../../../../src/controller/translate/route/match-owners.ts'

const parents = (...keys: readonly string[]) => ({ id: keys.join(), keys })
const claim = (owners: MatchOwners, route: string, keys: readonly string[], matches: readonly string[]) =>
  Object.fromEntries(owners.claim(route, parents(...keys), matches))

test('the first route has a match, at each of its parents', () => {
  const owners = new MatchOwners()
  assert.deepEqual(claim(owners, 'a', ['x', 'y'], ['p', 'q']), {})
  assert.deepEqual(claim(owners, 'a', ['x', 'y'], ['q']), {})
  assert.deepEqual(claim(owners, 'b', ['x', 'y'], ['o', 'q']), { a: ['x', 'y'] })
  assert.deepEqual(claim(owners, 'c', ['x', 'y'], ['o']), { b: ['x', 'y'] })
})

test('routes with other parents share what they have in common', () => {
  const owners = new MatchOwners()
  claim(owners, 'a', ['x', 'y'], ['p'])
  assert.deepEqual(claim(owners, 'b', ['y', 'z'], ['p']), { a: ['y'] })
  assert.deepEqual(claim(owners, 'c', ['x', 'y', 'z', 'v'], ['p']), { a: ['x', 'y'], b: ['z'] })
  assert.deepEqual(claim(owners, 'd', ['v'], ['p']), { c: ['v'] })
  // The first match that somebody has decides, parent by parent.
  claim(owners, 'e', ['x'], ['o'])
  assert.deepEqual(claim(owners, 'f', ['x', 'y'], ['o', 'p']), { e: ['x'], a: ['y'] })
})

test('matches cost the same whatever the number of parents is that all routes have', () => {
  const cost = (count: number): number => {
    const owners = new MatchOwners()
    const keys = Array.from({ length: count }, (_, index) => `l${index}`)
    const matches = Array.from({ length: 100 }, (_, index) => `p${index}`)
    for (const route of ['a', 'b', 'c']) claim(owners, route, keys, matches)
    return owners.count
  }
  assert.equal(cost(1), 300)
  assert.equal(cost(1_000), 300)
})
