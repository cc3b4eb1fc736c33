import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import { deny } from '../../../src/model/exchange/reply.ts'
import { modifyResponseHeaders } from '../../../src/operators/headers/response-header-modifier.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run } from '../../../src/testing/index.ts'

const stamp = (who: string) => modifyResponseHeaders({ add: [['x-by', who]], set: [], remove: ['server'] })

test('modifyResponseHeaders', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(stamp('route')))

  await t.test('combines modifiers: the backend first, then the route', () => {
    const { reply } = run(
      pipe(fakeUpstream(200, { server: 'x', etag: '"1"' }), stamp('backend'), stamp('route')),
      exchange(),
    )
    assert.deepEqual(reply?.headers.raw, ['etag', '"1"', 'x-by', 'backend', 'x-by', 'route'])
  })

  await t.test('applies to refusals', () => {
    const { reply } = run(
      pipe(
        onRequest('refuse', () => deny(403, 'no')),
        stamp('route'),
      ),
      exchange(),
    )
    assert.deepEqual([reply?.status, reply?.headers.get('x-by')], [403, 'route'])
  })

  await t.test('keeps every cookie', () => {
    const add = modifyResponseHeaders({ add: [['set-cookie', 'b=2']], set: [], remove: [] })
    const { reply } = run(pipe(fakeUpstream(200, { 'set-cookie': ['a=1', 'c=3'] }), add), exchange())
    assert.deepEqual(reply?.headers.all('set-cookie'), ['a=1', 'c=3', 'b=2'])
  })

  await t.test('does not touch the length of the body', () => {
    const wrong = modifyResponseHeaders({
      add: [],
      set: [['content-length', '1']],
      remove: ['transfer-encoding'],
    })
    const { reply } = run(pipe(fakeUpstream(200, { 'content-length': '5' }, 'hello'), wrong), exchange())
    assert.deepEqual(reply?.headers.raw, ['content-length', '5'])
  })
})
