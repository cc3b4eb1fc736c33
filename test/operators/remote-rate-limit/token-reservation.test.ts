import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deny, type Reply } from '../../../src/model/exchange/reply.ts'
import { type Counted, describeLimit } from '../../../src/operators/remote-rate-limit/request.ts'
import { type Hits, ServiceTokens } from '../../../src/operators/remote-rate-limit/token-reservation.ts'
import { exchange } from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const plain: Counted = {
  entries: [['by', gives('tokens')]],
  counts: 'tokens',
  cost: undefined,
  limitOverride: undefined,
}
const costing = (cost: Counted['cost']): Counted => ({ ...plain, entries: [['by', gives('cost')]], cost })

/** A service that records its calls. */
const counting = (
  counted: readonly Counted[],
  answer: () => Promise<Reply | undefined> = () => Promise.resolve(undefined),
) => {
  const heard: string[] = []
  const write = (verb: string, hits: Hits) =>
    heard.push(
      `${verb} ${hits.map(([{ descriptor }, count]) => `${String(descriptor.entries?.[0]?.value)} ${String(count)}`).join(', ')}`,
    )
  const x = exchange()
  const limit = new ServiceTokens(x, describeLimit(x, counted), {
    reserve: (hits) => {
      write('ask', hits)
      return answer()
    },
    report: (hits) => {
      write('tell', hits)
    },
  })
  return { limit, heard }
}

test('tokens of a remote limit', async (t) => {
  await t.test('are charged when the usage is known', () => {
    const { limit, heard } = counting([plain])
    limit.used(30)
    limit.used(5)
    limit.release()
    assert.deepEqual(heard, ['tell tokens 30', 'tell tokens 5'])
  })

  await t.test('are not charged if the usage is unknown', () => {
    const { limit, heard } = counting([plain])
    limit.used(undefined)
    limit.used(0)
    assert.deepEqual(heard, [])
  })

  await t.test('are reserved before, and corrected by the usage', async () => {
    const { limit, heard } = counting([plain])
    assert.equal(await limit.reserve(20), undefined)
    limit.used(30)
    limit.release()
    await limit.reserve(20)
    limit.used(15)
    await limit.reserve(20)
    limit.used(undefined)
    assert.deepEqual(heard, [
      'ask tokens 20',
      'tell tokens 10',
      'ask tokens 20',
      'tell tokens -5',
      'ask tokens 20',
    ])
  })

  await t.test('are returned if they were not used, or not granted', async () => {
    const { limit, heard } = counting([plain])
    await limit.reserve(20)
    limit.release()
    limit.release()
    assert.deepEqual(heard, ['ask tokens 20', 'tell tokens -20'])
    const over = deny(429, 'rate_limited')
    const refused = counting([plain], () => Promise.resolve(over))
    assert.equal(await refused.limit.reserve(20), over)
    refused.limit.release()
    assert.deepEqual(refused.heard, ['ask tokens 20', 'tell tokens -20'])
  })

  await t.test('are charged in full if they were returned before the usage was reported', async () => {
    const { limit, heard } = counting([plain])
    await limit.reserve(20)
    limit.release()
    limit.used(30)
    assert.deepEqual(heard, ['ask tokens 20', 'tell tokens -20', 'tell tokens 30'])
  })

  await t.test('are returned once if the client disconnects during the callout', async () => {
    const { limit, heard } = counting([plain], () => Promise.resolve(deny(429, 'rate_limited')))
    const reserving = limit.reserve(20)
    limit.release()
    await reserving
    limit.release()
    assert.deepEqual(heard, ['ask tokens 20', 'tell tokens -20'])
  })

  await t.test('cost what an expression returns, and otherwise their number', async () => {
    const { limit, heard } = counting([plain, costing(gives(2.5))])
    await limit.reserve(20)
    limit.used(30)
    assert.deepEqual(heard, ['ask tokens 20', 'tell tokens 10, cost 3'])
    for (const wrong of [fails(), gives(-1), gives('many')]) {
      const { limit, heard } = counting([costing(wrong)])
      await limit.reserve(20)
      limit.used(30)
      limit.used(undefined)
      assert.deepEqual(heard, ['tell cost 30'])
    }
  })
})
