import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExpiringCache } from '../../src/upstream/expiring-cache.ts'

const cacheOf = (more: { maxEntries?: number; maxBytes?: number } = {}) => {
  const clock = { now: 1_000 }
  const removed: string[] = []
  const evicted: number[] = []
  const cache = new ExpiringCache<{ readonly text: string }>({
    name: 'texts',
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

test('an entry is available until it expires', () => {
  const { cache, clock } = cacheOf()
  cache.set('a', { text: 'one' }, 50)
  clock.now += 50
  assert.deepEqual(cache.get('a'), { text: 'one' })
  clock.now += 1
  assert.equal(cache.get('a'), undefined)
})

test('an entry that is not read any more is freed as well', () => {
  const { cache, clock, removed, evicted } = cacheOf()
  cache.set('a', { text: 'one' }, 50)
  cache.set('b', { text: 'two' }, 5_000)
  clock.now += 100
  cache.sweep()
  assert.deepEqual([cache.size, cache.bytes, removed, evicted], [1, 3, ['one'], []])
})

test('the cache sweeps itself, and has no timer without entries', (t) => {
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

test('the least recently used entries are evicted beyond the limits in entries or bytes', () => {
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

test('an entry without lifetime is not cached, and one with an infinite lifetime is', () => {
  const { cache, clock } = cacheOf()
  for (const ttlMs of [0, -1, NaN]) {
    cache.set('a', { text: 'one' }, ttlMs)
    assert.equal(cache.get('a'), undefined)
  }
  cache.set('a', { text: 'one' }, Infinity)
  clock.now += 1e9
  assert.deepEqual(cache.get('a'), { text: 'one' })
})
