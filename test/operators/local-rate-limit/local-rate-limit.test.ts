import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deny } from '../../../src/model/exchange/reply.ts'
import { TokenBucket } from '../../../src/operators/local-rate-limit/token-bucket.ts'
import { localRateLimit } from '../../../src/operators/local-rate-limit/local-rate-limit.ts'
import { sequence } from '../../../src/pipeline/sequence.ts'
import { fakeUpstream, exchange, operatorLaws, run, TraceRecorder } from '../../../src/testing/index.ts'

const clock = { ms: 0 }
const bucketOf = (maxTokens: number, fillIntervalMs = 10_000, tokensPerFill = 1) =>
  new TokenBucket({ maxTokens, tokensPerFill, fillIntervalMs }, () => clock.ms)

/** Sends a request through the limit to a backend that replies. */
const send = (...buckets: readonly TokenBucket[]) => {
  const { request, reply } = localRateLimit(buckets)
  return run(sequence([request, fakeUpstream(200), reply]), exchange())
}
const told = ({ reply }: ReturnType<typeof send>) => [
  reply?.status,
  ...['limit', 'remaining', 'reset'].map((name) => reply?.headers.get(`x-ratelimit-${name}`)),
  reply?.headers.get('retry-after'),
]

test('localRateLimit', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(() => localRateLimit([bucketOf(100)]).request)
    await operatorLaws(() => localRateLimit([bucketOf(0)]).request)
    await operatorLaws(() => localRateLimit([bucketOf(100)]).reply)
  })

  await t.test('allows what the bucket holds, and sends the remaining quota', () => {
    const bucket = bucketOf(2)
    assert.deepEqual(told(send(bucket)), [200, '2', '1', '10', undefined])
    assert.deepEqual(told(send(bucket)), [200, '2', '0', '10', undefined])
    assert.deepEqual(told(send(bucket)), [429, '2', '0', '10', '10'])
    clock.ms += 9_001
    assert.deepEqual(told(send(bucket)), [429, '2', '0', '1', '1'])
    clock.ms += 999
    assert.deepEqual(told(send(bucket)), [200, '2', '0', '10', undefined])
  })

  await t.test('reports a refusal', async () => {
    const { reply } = send(bucketOf(0))
    assert.deepEqual(
      [reply?.reason, reply?.code, String(await reply?.body.read(100))],
      ['RateLimit', 'rate_limited', 'rate limit exceeded'],
    )
  })

  await t.test('sends no Retry-After if waiting would never help', () => {
    assert.deepEqual(told(send(bucketOf(0))), [429, '0', '0', '10', undefined])
    const dry = bucketOf(1, 1_000, 0)
    send(dry)
    assert.deepEqual(told(send(dry)), [429, '1', '0', '1', undefined])
  })

  await t.test('charges every bucket, and sends the quota of the tightest', () => {
    const [few, many] = [bucketOf(2), bucketOf(100, 1_000)]
    assert.deepEqual(told(send(many, few)), [200, '2', '1', '10', undefined])
    assert.deepEqual([few.available, many.available], [1, 99])
  })

  await t.test('charges no bucket if one of them is empty', () => {
    const [some, none, more] = [bucketOf(5), bucketOf(0, 3_000), bucketOf(5)]
    const { reply } = send(some, none, more)
    assert.equal(reply?.status, 429)
    assert.deepEqual([some.available, none.available, more.available], [5, 0, 5])
  })

  await t.test('sends the longest Retry-After of the empty buckets', () => {
    const [short, long] = [bucketOf(1, 2_000), bucketOf(1, 60_000)]
    send(short, long)
    assert.deepEqual(told(send(short, long)), [429, '1', '0', '60', '60'])
  })

  await t.test('sends no quota if no limit applied', () => {
    const { request, reply } = localRateLimit([bucketOf(1)])
    const refused = exchange({ reply: deny(401, 'no') })
    assert.equal(run(sequence([request, reply]), refused).reply?.headers.has('x-ratelimit-limit'), false)
  })

  await t.test('sends the tightest quota of consecutive limits', () => {
    const [outer, inner] = [localRateLimit([bucketOf(3)]), localRateLimit([bucketOf(9)])]
    const stages = [outer.request, inner.request, fakeUpstream(200), inner.reply, outer.reply]
    const { reply } = run(sequence(stages), exchange())
    assert.deepEqual(reply?.headers.all('x-ratelimit-remaining'), ['2'])
  })

  await t.test('replaces the rate limit headers of the backend', () => {
    const { request, reply } = localRateLimit([bucketOf(3)])
    const x = run(request, exchange())
    x.reply = deny(503, 'busy', { headers: { 'x-ratelimit-remaining': '77' } })
    assert.deepEqual(run(reply, x).reply?.headers.all('x-ratelimit-remaining'), ['2'])
  })

  await t.test('traces its decision', () => {
    const { request } = localRateLimit([bucketOf(1)])
    const details = [1, 2].map(() => {
      const trace = new TraceRecorder()
      run(request, exchange({ trace }))
      return trace.entries.map((note) => note.type === 'policy' && note.result)
    })
    assert.deepEqual(details, [
      [{ type: 'apply', details: 'passed, 0 left', snapshot: null }],
      [{ type: 'apply', details: 'refused for 10 s', snapshot: null }],
    ])
  })
})
