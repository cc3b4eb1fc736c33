import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListCache } from '../../../../src/operators/mcp/federation/list-cache.ts'

const tools = [{ name: 'add' }]
const fresh = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', tools }

test('cached lists', async (t) => {
  await t.test('lack members of newer revisions, since older clients get them too', () => {
    const cache = new ListCache()
    cache.keep('tools/list', undefined, undefined, { result: fresh })
    const found = cache.find('tools/list', undefined, 'somebody')
    assert.ok(found && 'result' in found)
    const { ttlMs, ...result } = found.result
    assert.ok(typeof ttlMs === 'number' && ttlMs > 0 && ttlMs <= 60_000)
    assert.deepEqual(result, { cacheScope: 'public', tools })
  })

  await t.test('are not shared if they are private', () => {
    const cache = new ListCache()
    cache.keep('tools/list', undefined, 'ann', { result: { ...fresh, cacheScope: 'private' } })
    assert.ok(cache.find('tools/list', undefined, 'ann'))
    assert.equal(cache.find('tools/list', undefined, 'bob'), undefined)
    assert.equal(cache.find('tools/list', undefined, undefined), undefined)
  })

  await t.test('are invalidated by a list_changed notification', () => {
    const cache = new ListCache()
    cache.keep('tools/list', undefined, undefined, { result: fresh })
    cache.keep('prompts/list', undefined, undefined, { result: { ...fresh, prompts: [] } })
    cache.changed('notifications/tools/list_changed')
    assert.equal(cache.find('tools/list', undefined, undefined), undefined)
    assert.ok(cache.find('prompts/list', undefined, undefined))
  })
})

test('cached lists of stdio servers', async (t) => {
  const result = { resultType: 'complete', tools }

  await t.test('depend on the client capabilities that the process received', () => {
    const cache = new ListCache()
    cache.keepUnused('tools/list', 'one', { result })
    assert.deepEqual(cache.findUnused('tools/list', 'one'), { result })
    assert.equal(cache.findUnused('tools/list', 'other'), undefined)
    assert.equal(cache.find('tools/list', undefined, 'one'), undefined)
  })

  await t.test('are cached completely or not at all', () => {
    const cache = new ListCache()
    cache.keepUnused('tools/list', 'one', { result: { ...result, nextCursor: '2' } })
    assert.equal(cache.findUnused('tools/list', 'one'), undefined)
  })

  await t.test('are invalidated with the process, and by a list_changed notification', () => {
    const cache = new ListCache()
    cache.keepUnused('tools/list', 'one', { result })
    cache.changed('notifications/tools/list_changed')
    assert.equal(cache.findUnused('tools/list', 'one'), undefined)
    cache.keepUnused('tools/list', 'one', { result })
    cache.clear()
    assert.equal(cache.findUnused('tools/list', 'one'), undefined)
  })

  await t.test('are evicted if they are large', () => {
    const cache = new ListCache(10_000)
    const large = { tools: [{ name: 'x'.repeat(2_000) }] }
    for (let i = 0; i < 10; i++) cache.keepUnused('tools/list', String(i), { result: large })
    assert.ok(cache.bytes > 0 && cache.bytes <= 10_000)
    assert.equal(cache.findUnused('tools/list', '0'), undefined)
    assert.ok(cache.findUnused('tools/list', '9'))
    cache.keepUnused('tools/list', 'huge', { result: { tools: [{ name: 'x'.repeat(20_000) }] } })
    assert.equal(cache.findUnused('tools/list', 'huge'), undefined)
  })
})
