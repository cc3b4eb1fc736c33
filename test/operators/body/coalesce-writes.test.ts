import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { onceATurn } from '../../../src/operators/body/coalesce-writes.ts'

/** Records its calls, and can be paused. */
const recorder = () => {
  const told: string[] = []
  const drains: (() => void)[] = []
  const sink = {
    told,
    drains,
    takes: true,
    write: (chunk: Uint8Array) => {
      told.push(Buffer.from(chunk).toString())
      return sink.takes
    },
    end: (trailers?: readonly string[]) => told.push(['end', ...(trailers ?? [])].join(' ')),
    fail: (fault: unknown) => told.push(`fail ${String(fault)}`),
    onDrain: (resume: () => void) => drains.push(resume),
  }
  return sink as typeof sink & BodySink
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('the chunks of one turn', async (t) => {
  await t.test('are written as one, those of the next turn as another', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    for (const text of ['a', 'b', 'c']) assert.equal(sink.write(Buffer.from(text)), true)
    assert.deepEqual(to.told, [])
    await turn()
    sink.write(Buffer.from('d'))
    await turn()
    assert.deepEqual(to.told, ['abc', 'd'])
  })

  await t.test('are written before the end, and before a failure', () => {
    for (const [finish, last] of [
      [(sink: BodySink) => sink.end(['x-a', '1']), 'end x-a 1'],
      [(sink: BodySink) => sink.fail('broken'), 'fail broken'],
    ] as const) {
      const to = recorder()
      const sink = onceATurn(to)
      sink.write(Buffer.from('a'))
      sink.write(Buffer.from('b'))
      finish(sink)
      assert.deepEqual(to.told, ['ab', last])
    }
  })

  await t.test('are written at once if they are large, in order', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    const large = 'x'.repeat(20_000)
    sink.write(Buffer.from('a'))
    sink.write(Buffer.from(large))
    assert.deepEqual(to.told, ['a', large])
    sink.write(Buffer.from('b'))
    await turn()
    assert.deepEqual(to.told, ['a', large, 'b'])
  })

  await t.test('are copied if their memory is leased, which is released at once', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    const memory = Buffer.from('lent')
    const given: Uint8Array[] = []
    sink.write(memory, { release: (chunk) => given.push(chunk) })
    assert.deepEqual(given, [memory])
    memory.fill(0)
    await turn()
    assert.deepEqual(to.told, ['lent'])
  })

  await t.test('stop while the reader is paused', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    to.takes = false
    assert.equal(sink.write(Buffer.from('a')), true)
    await turn()
    assert.equal(sink.write(Buffer.from('b')), false)
    let resumed = 0
    sink.onDrain(() => resumed++)
    await turn()
    assert.deepEqual([to.told, to.drains.length, resumed], [['a', 'b'], 1, 0])
    to.takes = true
    to.drains[0]?.()
    assert.equal(resumed, 1)
    assert.equal(sink.write(Buffer.from('c')), true)
  })

  await t.test('continue at once if the reader resumed before it was paused', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    to.takes = false
    sink.write(Buffer.from('a'))
    await turn()
    to.drains[0]?.()
    await new Promise<void>((resolve) => {
      sink.onDrain(resolve)
    })
  })
})
