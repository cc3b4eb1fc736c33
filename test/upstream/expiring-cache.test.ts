import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpiringCache } from '../../src/upstream/expiring-cache.ts'

const cacheOf = (more: { maxEntries?: number; maxBytes?: number } = {}) => {
  const clock = { now: 1_000 }
  const removed: string[] = []
  const evicted: number[] = []
  const cache = new ExpiringCache<{ readonly text: string }>({
    maxEntries: 10,
    maxBytes: 100,
    bytesOf: ({ text }) => text.length,
    onEvict: () => evicted.push(1),
    onRemove: ({ text }) => removed.push(text),
    now: () => clock.now,
    ...more,
  })
  return { cache, clock, removed, evicted }
}

test('an entry is there until its time is over', () => {
  const { cache, clock } = cacheOf()
  cache.set('a', { text: 'one' }, 50)
  clock.now += 50
  assert.deepEqual(cache.get('a'), { text: 'one' })
  clock.now += 1
  assert.equal(cache.get('a'), undefined)
})

test('an entry that nobody reads any more is freed all the same', () => {
  const { cache, clock, removed, evicted } = cacheOf()
  cache.set('a', { text: 'one' }, 50)
  cache.set('b', { text: 'two' }, 5_000)
  clock.now += 100
  cache.sweep()
  assert.deepEqual([cache.size, cache.bytes, removed, evicted], [1, 3, ['one'], []])
})

test('it sweeps by itself, and keeps no timer without entries', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { cache, clock } = cacheOf()
  cache.set('a', { text: 'one' }, 50)
  clock.now += 100
  t.mock.timers.tick(30_000)
  assert.equal(cache.size, 0)
  cache.set('b', { text: 'two' }, 50)
  clock.now += 100
  t.mock.timers.tick(30_000)
  assert.equal(cache.size, 0)
})

test('beyond its limits in entries or bytes, what was not read for longest goes', () => {
  const few = cacheOf({ maxEntries: 2 })
  for (const text of ['a', 'b']) few.cache.set(text, { text }, 50)
  few.cache.get('a')
  few.cache.set('c', { text: 'c' }, 50)
  assert.deepEqual([few.removed, few.evicted.length], [['b'], 1])

  const small = cacheOf({ maxBytes: 5 })
  small.cache.set('a', { text: 'aaa' }, 50)
  small.cache.set('b', { text: 'bbb' }, 50)
  assert.deepEqual([small.removed, small.cache.bytes], [['aaa'], 3])
  small.cache.set('c', { text: 'too long' }, 50)
  assert.equal(small.cache.get('c'), undefined)
})

test('what has no time left is not kept, and what has all the time is', () => {
  const { cache, clock } = cacheOf()
  for (const ttlMs of [0, -1, NaN]) {
    cache.set('a', { text: 'one' }, ttlMs)
    assert.equal(cache.get('a'), undefined)
  }
  cache.set('a', { text: 'one' }, Infinity)
  clock.now += 1e9
  assert.deepEqual(cache.get('a'), { text: 'one' })
})
