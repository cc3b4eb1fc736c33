import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { Recording } from '../../../src/operators/body/replay-buffer.ts'
import { ManualBody } from '../../../src/testing/index.ts'

/** A consumer that records its chunks, and accepts more only while `open`. */
class Consumer implements BodySink {
  got = ''
  ended = false
  fault: unknown = undefined
  open = true
  #resume: (() => void) | undefined = undefined

  write(chunk: Uint8Array): boolean {
    this.got += String(Buffer.from(chunk))
    return this.open
  }

  end(): void {
    this.ended = true
  }

  fail(fault: unknown): void {
    this.fault = fault
  }

  onDrain(resume: () => void): void {
    this.#resume = resume
  }

  drain(): void {
    this.open = true
    this.#resume?.()
  }
}

const start = (limitBytes = 8) => {
  const source = new ManualBody()
  const recording = new Recording(source, limitBytes)
  const replayTo = (consumer: Consumer) => {
    recording.replay().pipe(consumer)
    return consumer
  }
  return { source, recording, replayTo }
}

test('Recording', async (t) => {
  await t.test('reads its source when it is consumed, not before', () => {
    const { source, recording, replayTo } = start()
    source.send('a')
    recording.replay()
    assert.equal(source.taken, 0)
    assert.equal(replayTo(new Consumer()).got, 'a')
  })

  await t.test('replays a finished body', () => {
    const { source, replayTo } = start()
    const first = replayTo(new Consumer())
    source.send('ab').send('cd').end()
    const second = replayTo(new Consumer())
    assert.deepEqual([first.got, first.ended, second.got, second.ended], ['abcd', true, 'abcd', true])
  })

  await t.test('continues with a body that is incomplete', () => {
    const { source, recording, replayTo } = start()
    const first = replayTo(new Consumer())
    source.send('ab')
    const second = replayTo(new Consumer())
    source.send('cd').end()
    assert.deepEqual([first.got, first.ended, second.got, second.ended], ['ab', false, 'abcd', true])
    assert.ok(recording.isWhole)
  })

  await t.test('pauses the source without a consumer, and loses nothing', () => {
    const { source, recording, replayTo } = start()
    const first = recording.replay()
    const dropped = new Consumer()
    first.pipe(dropped)
    source.send('ab')
    first.drop()
    source.send('cd').send('ef')
    assert.ok(source.paused)
    assert.equal(dropped.got, 'ab')
    const second = replayTo(new Consumer())
    source.end()
    assert.deepEqual([second.got, second.ended], ['abcdef', true])
  })

  await t.test('drops a body beyond its limit, and still passes it on', () => {
    const { source, recording, replayTo } = start(3)
    const consumer = replayTo(new Consumer())
    source.send('abc')
    assert.ok(recording.isWhole)
    source.send('d').end()
    assert.deepEqual([recording.isWhole, consumer.got, consumer.ended], [false, 'abcd', true])
  })

  await t.test('keeps a body beyond its limit between two replays: the next one was promised', () => {
    const { source, recording, replayTo } = start(3)
    recording.replay().pipe(new Consumer())
    source.send('ab')
    recording.replay()
    source.send('cdef')
    const second = replayTo(new Consumer())
    assert.deepEqual([second.got, recording.isWhole], ['abcdef', false])
  })

  await t.test('is incomplete after its source failed', () => {
    const { source, recording, replayTo } = start()
    const fault = new Error('client gone')
    const first = replayTo(new Consumer())
    source.send('a').fail(fault)
    assert.deepEqual([first.fault, recording.isWhole], [fault, false])
    assert.equal(replayTo(new Consumer()).fault, fault)
  })

  await t.test('passes backpressure of its consumer on', () => {
    const { source, replayTo } = start()
    const consumer = replayTo(new Consumer())
    consumer.open = false
    source.send('a').send('b')
    assert.deepEqual([consumer.got, source.paused], ['a', true])
    consumer.drain()
    assert.deepEqual([consumer.got, source.paused], ['ab', false])
  })

  await t.test('is paused by its current consumer only', () => {
    const { source, replayTo } = start()
    const first = replayTo(new Consumer())
    first.open = false
    source.send('a').send('b')
    const second = replayTo(new Consumer())
    assert.equal(second.got, 'ab')
    second.open = false
    source.send('c').send('d')
    first.drain()
    assert.deepEqual([second.got, source.paused], ['abc', true])
    second.drain()
    assert.equal(second.got, 'abcd')
  })

  await t.test('discards the rest once it is closed without a consumer', () => {
    const { source, recording } = start()
    const replay = recording.replay()
    replay.pipe(new Consumer())
    source.send('a')
    replay.drop()
    source.send('b')
    assert.ok(source.paused)
    recording.close()
    source.send('c')
    assert.deepEqual([source.paused, source.taken, recording.isWhole], [false, 3, false])
  })

  await t.test('provides a Node stream that releases the source when it is destroyed', async () => {
    const { source, recording, replayTo } = start()
    const stream = recording.replay().source()
    assert.ok(stream && !Buffer.isBuffer(stream))
    source.send('ab')
    stream.destroy()
    await new Promise(setImmediate)
    source.send('c').end()
    const second = replayTo(new Consumer())
    assert.deepEqual([second.got, second.ended], ['abc', true])
  })
})
