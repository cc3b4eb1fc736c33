import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferedBytes } from '../../../src/model/exchange/buffered-bytes.ts'

test('buffered bytes', async (t) => {
  await t.test('are reallocated a few times only, however small the chunks are', () => {
    const held = new BufferedBytes()
    const blocks = new Set<ArrayBufferLike>()
    for (let i = 0; i < 100_000; i++) {
      held.add(Buffer.of(i % 251))
      blocks.add(held.bytes.buffer)
    }
    assert.ok(blocks.size < 20, `${blocks.size} blocks`)
    const bytes = held.take()
    assert.equal(bytes.length, 100_000)
    assert.ok(bytes.every((byte, i) => byte === i % 251))
  })

  await t.test('are not affected by later changes of the chunks, or by later chunks', () => {
    const held = new BufferedBytes()
    const chunk = Buffer.from('one')
    held.add(chunk)
    chunk.fill('x')
    const taken = held.take()
    assert.equal(held.length, 0)
    held.add(Buffer.from('two'))
    assert.equal(taken.toString(), 'one')
    assert.equal(held.bytes.toString(), 'two')
    held.clear()
    assert.equal(held.bytes.length, 0)
  })
})
