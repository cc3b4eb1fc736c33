import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClaimedHostnames } from '../../../../src/controller/translate/route/claimed-hostnames.ts'

const owners = (claims: Readonly<Record<string, string>>, names: readonly string[]) => {
  const claimed = new ClaimedHostnames()
  for (const [owner, name] of Object.entries(claims)) claimed.claim(name, owner)
  return names.map((name) => claimed.ownerOf(name))
}

test('nothing is owned before it is claimed', () => {
  assert.deepEqual(owners({}, ['', 'a.test', '*.test']), [undefined, undefined, undefined])
})

test('a name is owned by whoever claimed it first, and no other name is', () => {
  assert.deepEqual(owners({ one: 'a.test', two: 'a.test' }, ['a.test', 'b.test', 'b.a.test', 'test']), [
    'one',
    undefined,
    undefined,
    undefined,
  ])
})

test('a wildcard has names of one or more labels more, and the wildcards above and below it', () => {
  const names = ['b.a.test', 'c.b.a.test', '*.a.test', '*.b.a.test', '*.test']
  assert.deepEqual(
    owners({ one: '*.a.test' }, names),
    names.map(() => 'one'),
  )
  const others = ['a.test', 'ba.test', '*.b.test', '*.ba.test']
  assert.deepEqual(
    owners({ one: '*.a.test' }, others),
    others.map(() => undefined),
  )
})

test('a name is under the wildcards above it', () => {
  assert.deepEqual(owners({ one: 'b.a.test' }, ['*.a.test', '*.test', '*.b.a.test', '*.b.test']), [
    'one',
    'one',
    undefined,
    undefined,
  ])
})

test('whoever claims all hosts has every name, and all hosts have every claim', () => {
  assert.deepEqual(owners({ one: '' }, ['a.test', '*.test', '']), ['one', 'one', 'one'])
  assert.deepEqual(owners({ one: 'a.test' }, ['']), ['one'])
})
