import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body, BodySink } from '../../../src/model/exchange/body.ts'
import { readAhead } from '../../../src/operators/body/read-prefix.ts'
import { ManualBody } from '../../../src/testing/index.ts'

const longerThan = async (limitBytes: number, body: Body): Promise<Body> => {
  const ahead = await readAhead(body, limitBytes)
  assert.ok('longer' in ahead)
  return ahead.longer
}

test('readAhead', async (t) => {
  await t.test('returns all of a body within the limit', async () => {
    const ahead = await readAhead(new ManualBody().send('ab').send('cd').end(['x-sum', '1']), 4)
    assert.ok('whole' in ahead)
    assert.deepEqual([String(ahead.whole.bytes), ahead.whole.trailers], ['abcd', ['x-sum', '1']])
  })

  await t.test('pauses the source of a longer body until it is consumed', async () => {
    const source = new ManualBody().send('ab').send('cd').send('ef')
    const longer = await longerThan(3, source)
    assert.deepEqual([source.paused, source.taken], [true, 2])
    const reading = longer.read(100)
    source.end()
    assert.equal(String(await reading), 'abcdef')
  })

  await t.test('passes the end of the body on, whenever it was', async () => {
    const fault = new Error('client gone')
    const failed = new ManualBody().send('ab')
    const longer = await longerThan(1, failed)
    failed.fail(fault)
    await assert.rejects(longer.read(100), fault)
    const source = new ManualBody().send('ab')
    const reading = (await longerThan(1, source)).read(100)
    source.fail(fault)
    await assert.rejects(reading, fault)
  })

  await t.test('passes backpressure of the consumer on', async () => {
    const source = new ManualBody().send('ab').send('cd')
    let resume: () => void = () => undefined
    const got: string[] = []
    const slow: BodySink = {
      write: (chunk) => got.push(String(chunk)) < 0,
      end: () => got.push('end'),
      fail: () => assert.fail('it failed'),
      onDrain: (callback) => {
        resume = callback
      },
    }
    ;(await longerThan(1, source)).pipe(slow)
    assert.deepEqual(got, ['ab'])
    resume()
    assert.deepEqual([got, source.paused], [['ab', 'cd'], true])
    source.end()
    resume()
    assert.deepEqual(got, ['ab', 'cd', 'end'])
  })

  await t.test('can be consumed once, or dropped, which releases the source', async () => {
    const taken = await longerThan(1, new ManualBody().send('ab'))
    void taken.read(100)
    const never = () => assert.fail('it was taken twice')
    const other = { write: never, end: never, fail: never, onDrain: never }
    assert.throws(() => {
      taken.pipe(other)
    }, /consumed twice/)
    const source = new ManualBody().send('ab')
    ;(await longerThan(1, source)).drop()
    assert.ok(source.dropped)
    const left = new ManualBody().send('ab')
    const half = await longerThan(1, left)
    void half.read(100)
    half.drop()
    assert.ok(left.dropped)
  })

  await t.test('fails if the body fails before the limit is reached', async () => {
    const fault = new Error('client gone')
    await assert.rejects(readAhead(new ManualBody().send('ab').fail(fault), 100), fault)
  })
})
