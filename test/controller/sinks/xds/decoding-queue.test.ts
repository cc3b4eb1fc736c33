import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { DecodingQueue } from '../../../../src/controller/sinks/xds/decoding-queue.ts'
import { DeltaDiscoveryRequestSchema } from '../../../../src/protocols/xds/discovery.gen.ts'

const request = (nonce: string, names = 0): Uint8Array =>
  toBinary(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      responseNonce: nonce,
      initialResourceVersions: Object.fromEntries(
        Array.from({ length: names }, (_, index) => [
          `workload/namespace/service/${index}`,
          '0123456789abcdef',
        ]),
      ),
    }),
  )

const start = () => {
  const log: string[] = []
  const call = { pause: () => log.push('pause'), resume: () => log.push('resume') }
  const queue = new DecodingQueue(
    call,
    ({ responseNonce }) => log.push(responseNonce),
    () => log.push('invalid'),
  )
  return { queue, log }
}

test('small requests are decoded as they come', () => {
  const { queue, log } = start()
  queue.add(request('a'))
  queue.add(Uint8Array.of(255))
  assert.deepEqual(log, ['a', 'invalid'])
})

test('large requests have a turn each, among all streams, and what follows them keeps its place', async () => {
  const streams = Array.from({ length: 5 }, start)
  for (const { queue } of streams) {
    queue.add(request('large', 3_000))
    queue.add(request('small'))
  }
  const decoded = () => streams.filter(({ log }) => log.includes('large')).length
  assert.equal(decoded(), 0)
  const counts: number[] = []
  for (; decoded() < streams.length; counts.push(decoded())) await nextTurn()
  // A turn may pass before the first one.
  assert.deepEqual([...new Set([0, ...counts])], [0, 1, 2, 3, 4, 5])
  while (streams.some(({ log }) => !log.includes('resume'))) await nextTurn()
  for (const { log } of streams) assert.deepEqual(log, ['pause', 'pause', 'large', 'small', 'resume'])
})

test('a request of very many names is decoded in several turns', async () => {
  const { queue, log } = start()
  queue.add(request('large', 60_000))
  let turns = 0
  for (; !log.includes('large'); turns++) await nextTurn()
  assert.ok(turns > 3, `${turns} turns`)
})

test('a large request that cannot be decoded is invalid, and ends nothing else', async () => {
  const [broken, other] = [start(), start()]
  const bytes = request('large', 3_000)
  broken.queue.add(bytes.subarray(0, bytes.length - 4))
  other.queue.add(request('other', 3_000))
  while (!other.log.includes('resume')) await nextTurn()
  assert.deepEqual(broken.log, ['pause', 'invalid', 'resume'])
  assert.deepEqual(other.log, ['pause', 'other', 'resume'])
})

test('nothing is decoded once the stream has ended', async () => {
  const { queue, log } = start()
  queue.add(request('large', 3_000))
  queue.end()
  while (!log.includes('resume')) await nextTurn()
  assert.deepEqual(log, ['pause', 'resume'])
})
