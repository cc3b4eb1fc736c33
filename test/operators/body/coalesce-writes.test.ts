import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { onceATurn } from '../../../src/operators/body/coalesce-writes.ts'

/** Takes down what it is told, and can have enough. */
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
  await t.test('come as one, those of the next as another', async () => {
    const to = recorder()
    const sink = onceATurn(to)
    for (const text of ['a', 'b', 'c']) assert.equal(sink.write(Buffer.from(text)), true)
    assert.deepEqual(to.told, [])
    await turn()
    sink.write(Buffer.from('d'))
    await turn()
    assert.deepEqual(to.told, ['abc', 'd'])
  })

  await t.test('come before the end, and before a failure', () => {
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

  await t.test('wait for nobody if they are large, and keep their order', async () => {
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

  await t.test('are copied if their memory is lent, and it is given back at once', async () => {
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

  await t.test('stop when their reader has had enough, until it wants more', async () => {
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

  await t.test('go on at once where the reader was ready again before it was asked', async () => {
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
