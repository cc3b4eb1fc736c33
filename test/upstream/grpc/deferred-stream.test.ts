import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeferredStream } from '../../../src/upstream/grpc/deferred-stream.ts'
import type { MessageStream } from '../../../src/upstream/grpc/grpc-stream.ts'

/** A stream that records its calls, and accepts so many messages before it is full. */
const recorder = (room: number) => {
  const done: string[] = []
  let resume: (() => void) | undefined
  const stream: MessageStream<string> = {
    send: (message) => {
      done.push(message)
      return done.length < room
    },
    onDrain: (then) => {
      resume = then
    },
    finish: () => done.push('finish'),
    pause: () => done.push('pause'),
    resume: () => done.push('resume'),
    cancel: () => done.push('cancel'),
  }
  return { stream, done, drain: () => resume?.() }
}

const never = (): never => assert.fail('the stream has opened')

test('messages that were sent before the stream opened go first, and pause the sender until then', async () => {
  const { stream, done } = recorder(10)
  const ready = Promise.withResolvers<undefined>()
  const late = new DeferredStream(ready.promise, () => stream, never)
  let resumed = 0
  assert.equal(late.send('a'), false)
  late.onDrain(() => resumed++)
  late.pause()
  late.finish()
  ready.resolve(undefined)
  await ready.promise
  assert.deepEqual(done, ['pause', 'a', 'finish'])
  assert.equal(resumed, 1)
  late.resume()
  late.cancel()
  assert.deepEqual(done.slice(3), ['resume', 'cancel'])
})

test('a paused sender stays paused if the stream is full once it opens', async () => {
  const { stream, done, drain } = recorder(1)
  const ready = Promise.withResolvers<undefined>()
  const late = new DeferredStream(ready.promise, () => stream, never)
  let resumed = 0
  late.send('a')
  late.onDrain(() => resumed++)
  ready.resolve(undefined)
  await ready.promise
  assert.deepEqual([done, resumed], [['a'], 0])
  drain()
  assert.equal(resumed, 1)
})

test('a failure to open is reported once', async () => {
  const why = new Error('no token')
  const ended: unknown[] = []
  const late = new DeferredStream(Promise.reject(why), never, (fault) => ended.push(fault))
  late.send('a')
  await Promise.resolve()
  late.cancel()
  await new Promise(setImmediate)
  assert.deepEqual(ended, [why])
})

test('a cancelled stream never opens', async () => {
  const ended: unknown[] = []
  const ready = Promise.withResolvers<undefined>()
  const late = new DeferredStream<string>(ready.promise, never, (fault) => ended.push(fault))
  late.cancel()
  assert.deepEqual(ended, [])
  await new Promise(setImmediate)
  ready.resolve(undefined)
  await ready.promise
  await new Promise(setImmediate)
  assert.equal((ended as { code: string }[])[0]?.code, 'abandoned')
  assert.equal(ended.length, 1)
})
