import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListCache } from '../../../../../src/operators/backend/mcp/federation/list-cache.ts'

const tools = [{ name: 'add' }]
const fresh = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', tools }

test('lists that are kept', async (t) => {
  await t.test(
    'are free of what only the newer revisions have in them, since older clients get them too',
    () => {
      const cache = new ListCache()
      cache.keep('tools/list', undefined, undefined, { result: fresh })
      const found = cache.find('tools/list', undefined, 'somebody')
      assert.ok(found && 'result' in found)
      const { ttlMs, ...result } = found.result
      assert.ok(typeof ttlMs === 'number' && ttlMs > 0 && ttlMs <= 60_000)
      assert.deepEqual(result, { cacheScope: 'public', tools })
    },
  )

  await t.test('are nobody else’s if they are private', () => {
    const cache = new ListCache()
    cache.keep('tools/list', undefined, 'ann', { result: { ...fresh, cacheScope: 'private' } })
    assert.ok(cache.find('tools/list', undefined, 'ann'))
    assert.equal(cache.find('tools/list', undefined, 'bob'), undefined)
    assert.equal(cache.find('tools/list', undefined, undefined), undefined)
  })

  await t.test('are forgotten when the server says that they are others now', () => {
    const cache = new ListCache()
    cache.keep('tools/list', undefined, undefined, { result: fresh })
    cache.keep('prompts/list', undefined, undefined, { result: { ...fresh, prompts: [] } })
    cache.changed('notifications/tools/list_changed')
    assert.equal(cache.find('tools/list', undefined, undefined), undefined)
    assert.ok(cache.find('prompts/list', undefined, undefined))
  })
})
