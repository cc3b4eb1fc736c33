import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { boundedCache } from '../../../src/model/introspection/bounded-cache.ts'
import {
  type CacheUsage,
  cacheUsages,
  sumOf,
  trackCache,
} from '../../../src/model/introspection/cache-usage.ts'
import { ExpiringCache } from '../../../src/upstream/expiring-cache.ts'

const usages = (): readonly CacheUsage[] => {
  const steps = cacheUsages()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
const usageOf = (name: string) => usages().find((one) => one.name === name)

test('caches are listed by name, with sizes and limits', async (t) => {
  await t.test('those with a limit of entries', () => {
    const one = boundedCache<string, object>('test_entries', { max: 10 })
    const other = boundedCache<string, object>('test_entries', { max: 5 })
    one.set('a', {}).set('b', {})
    other.set('c', {})
    assert.deepEqual(usageOf('test_entries'), {
      name: 'test_entries',
      instances: 2,
      entries: 3,
      maxEntries: 15,
      bytes: undefined,
      maxBytes: undefined,
    })
  })

  await t.test('those with a limit of bytes too', () => {
    const cache = new ExpiringCache<{ text: string }>({
      name: 'test_bytes',
      maxEntries: 10,
      maxBytes: 100,
      bytesOf: ({ text }) => text.length,
    })
    cache.set('a', { text: 'four' }, 60_000)
    const { entries, bytes, maxBytes } = usageOf('test_bytes') ?? {}
    assert.deepEqual([entries, bytes, maxBytes], [1, 4, 100])
    cache.clear()
  })

  await t.test('maps that have a limit', () => {
    const map = trackCache('test_map', new Map([['a', 1]]), { maxEntries: 2 })
    assert.deepEqual([usageOf('test_map')?.entries, map.size], [1, 1])
  })

  await t.test('of several processes as sums', () => {
    const one: CacheUsage = { name: 'a', instances: 1, entries: 2, maxEntries: 3 }
    const both = sumOf(one, { ...one, bytes: 5, maxBytes: 7 })
    assert.deepEqual(both, { name: 'a', instances: 2, entries: 4, maxEntries: 6, bytes: 5, maxBytes: 7 })
  })
})

/** Maps that stop growing at a limit and are no caches: what they hold is the state of something that is reported. */
const exempt = new Set([
  // Series of the metrics, which `/metrics` shows.
  'src/sinks/metrics/bounded-series.ts',
])

test('no cache of the sources is left out', () => {
  const files = globSync('src/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const makers = files.filter(({ text }) => /new LRUCache\b/.test(text)).map(({ path }) => path)
  assert.deepEqual(makers, ['src/model/introspection/bounded-cache.ts'], 'use boundedCache or ExpiringCache')
  const bounded =
    /\.keys\(\)\.next\(\)|\.size >= (?:most|max|limit|MAX|LIMIT|MOST)[\w.]*\) [\w.#]+\.(?:clear|delete)\(/
  const maps = files.filter(({ path, text }) => bounded.test(text) && !exempt.has(path))
  assert.ok(maps.length >= 4, 'the pattern still finds maps with a limit')
  assert.deepEqual(
    maps.filter(({ text }) => !text.includes('trackCache(')).map(({ path }) => path),
    [],
    'use trackCache',
  )
})
