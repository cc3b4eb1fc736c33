import { create } from '@bufbuild/protobuf'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/cel/context/headers-view.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import {
  remoteRateLimit,
  type RemoteRateLimitOptions,
} from '../../../src/operators/remote-rate-limit/remote-rate-limit.ts'
import {
  amendment,
  type Counted,
  describeLimit,
  limitRequest,
} from '../../../src/operators/remote-rate-limit/request.ts'
import { limitedOf } from '../../../src/operators/remote-rate-limit/response.ts'
import { ConcurrencyLimit } from '../../../src/operators/concurrency-limit.ts'
import {
  type RateLimitResponse,
  RateLimitResponseSchema,
} from '../../../src/protocols/grpc/rate-limit.gen.ts'
import type { GrpcService } from '../../../src/upstream/grpc/grpc-client.ts'
import { exchange, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

/** A rate limit service with this response. */
const service = (answer: () => Promise<RateLimitResponse>): GrpcService =>
  ({ unary: answer }) as unknown as GrpcService

const limited = (answer: () => Promise<RateLimitResponse>, more: Partial<RemoteRateLimitOptions> = {}) =>
  remoteRateLimit({
    service: service(answer),
    timeoutMs: 1_000,
    concurrencyLimit: new ConcurrencyLimit(10),
    domain: 'shop',
    descriptors: [{ entries: [['a', gives('1')]], cost: undefined, limitOverride: undefined }],
    failureMode: 'failClosed',
    bufferLimitBytes: 100,
    ...more,
  })

const yes = create(RateLimitResponseSchema, { overallCode: 1 })

test('remoteRateLimit', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(limited(() => Promise.resolve(yes)).request, { parks: true })
    await operatorLaws(limited(() => Promise.resolve(yes)).reply)
  })

  await t.test('refuses requests if the queue is too long, or lets them pass', () => {
    const hangs = () => new Promise<RateLimitResponse>(() => undefined)
    for (const [failureMode, code] of [
      ['failClosed', 'rate_limit_busy'],
      ['failOpen', undefined],
    ] as const) {
      const { request } = limited(hangs, { concurrencyLimit: new ConcurrencyLimit(1), failureMode })
      void runAsync(request, exchange())
      assert.equal(run(request, exchange()).reply?.code, code)
    }
  })

  await t.test('distinguishes an unavailable service from a bug', async () => {
    const away = limited(() => Promise.reject(new Fault('upstream_connect', 'away')))
    const { reply } = await runAsync(away.request, exchange())
    assert.deepEqual([reply?.status, reply?.code, reply?.reason], [500, 'rate_limit_failed', 'RateLimit'])
    const bug = limited(() => Promise.reject(new TypeError('a bug')), { failureMode: 'failOpen' })
    await assert.rejects(runAsync(bug.request, exchange()), TypeError)
  })

  await t.test('sends Retry-After, and gRPC replies to gRPC clients', async () => {
    const over = create(RateLimitResponseSchema, {
      overallCode: 2,
      rawBody: Buffer.from('slow down'),
      statuses: [{ currentLimit: { requestsPerUnit: 5 }, durationUntilReset: { seconds: 30n } }],
    })
    const { request } = limited(() => Promise.resolve(over))
    const plain = (await runAsync(request, exchange())).reply
    assert.deepEqual(
      [plain?.status, plain?.headers.get('retry-after'), String(await plain?.body.read(20)), plain?.error],
      [429, '30', 'slow down', undefined],
    )
    const headers = { 'content-type': 'application/grpc' }
    assert.equal((await runAsync(request, exchange({ headers }))).reply?.error, 'slow down')
  })

  await t.test('keeps the tighter of several quotas', () => {
    const statuses = [5, 2, 2].map((limitRemaining, i) => ({
      limitRemaining,
      currentLimit: { requestsPerUnit: 10 * i },
      durationUntilReset: { seconds: BigInt(i) },
    }))
    const { quota } = limitedOf(
      create(RateLimitResponseSchema, { overallCode: 1, statuses: [{}, ...statuses] }),
    )
    assert.deepEqual(quota, { limit: 20, remaining: 2, resetSeconds: 2 })
  })
})

test('the descriptors of a request', async (t) => {
  const entry = { entries: [['a', gives('1')]] as const, cost: undefined, limitOverride: undefined }
  const count = (...counted: readonly Counted[]) => {
    const x = exchange()
    return limitRequest(x, 'shop', describeLimit(x, counted))
  }

  await t.test('are empty if none can be evaluated', () => {
    for (const value of [fails(), gives(null), gives(new Map()), gives([])])
      assert.equal(
        count({
          ...entry,
          entries: [
            ['a', gives('1')],
            ['b', value],
          ],
        }),
        undefined,
      )
  })

  await t.test('are text, whatever the expressions return', () => {
    const values = [gives(true), gives(7n), gives(1.5), gives(Buffer.from('b'))]
    const message = count({ ...entry, entries: values.map((value, i) => [String(i), value] as const) })
    assert.deepEqual(
      message?.descriptors?.[0]?.entries?.map(({ value }) => value),
      ['true', '7', '1.5', 'b'],
    )
  })

  await t.test('contain all values of a repeated header', () => {
    const message = count({ ...entry, entries: [['user', gives(['ann', 'bob'])]] })
    assert.equal(message?.descriptors?.[0]?.entries?.[0]?.value, 'ann,bob')
  })

  await t.test('distinguish credentials without exposing them', () => {
    const valueOf = (secret: string) =>
      count({ ...entry, entries: [['key', gives(new Secret(secret))]] })?.descriptors?.[0]?.entries?.[0]
        ?.value
    assert.match(valueOf('one') ?? '', /^sha256:[0-9a-f]{64}$/)
    assert.notEqual(valueOf('one'), valueOf('other'))
    assert.equal(valueOf('one'), valueOf('one'))
  })

  await t.test('have the cost of the expression, once for all descriptors if they agree', () => {
    const costing = (value: unknown) => ({ ...entry, cost: gives(value) })
    assert.equal(count(costing(3n), costing(3))?.hitsAddend, 3)
    assert.equal(count(costing(3n), entry)?.hitsAddend, 0)
    const costs = [2.2, 0, -1, NaN, Infinity, 2 ** 40, '5', null].map(
      (value) => count(costing(value))?.descriptors?.[0]?.hitsAddend,
    )
    assert.deepEqual(costs, [3n, 0n, 1n, 1n, 4294967295n, 4294967295n, 1n, 1n])
  })

  await t.test('override the limit if the expression returns one', () => {
    const limitOf = (value: unknown) =>
      count({ ...entry, limitOverride: gives(value) })?.descriptors?.[0]?.limit
    const given = (unit: unknown, requestsPerUnit: unknown) =>
      limitOf(
        new Map([
          ['unit', unit],
          ['requestsPerUnit', requestsPerUnit],
        ]),
      )
    assert.deepEqual(given('Minute', 5n), { unit: 2, requestsPerUnit: 5 })
    assert.deepEqual(given('week', 1.9), { unit: 7, requestsPerUnit: 1 })
    for (const wrong of [
      given('unknown', 5n),
      given('century', 5n),
      given('day', '5'),
      given('day', -1),
      limitOf('5/s'),
    ])
      assert.equal(wrong, undefined)
  })

  await t.test('cost no tokens yet, whatever is charged later', () => {
    const tokens = { ...entry, counts: 'tokens', cost: gives(7) } as const
    assert.deepEqual(
      count(entry, tokens)?.descriptors?.map(({ hitsAddend }) => hitsAddend),
      [undefined, 0n],
    )
    assert.equal(count(tokens)?.hitsAddend, 0)
  })

  await t.test('have the same entries and limit when the usage is charged', () => {
    let asked = 0
    const changing = () => ({ value: String(asked++) })
    const limit = new Map<string, unknown>([
      ['unit', 'hour'],
      ['requestsPerUnit', 5n],
    ])
    const x = exchange()
    const described = describeLimit(x, [
      { entries: [['a', changing]], counts: 'tokens', cost: undefined, limitOverride: gives(limit) },
    ])
    const [first] = limitRequest(x, 'shop', described)?.descriptors ?? []
    const more = amendment('shop', [[described[0]!, 12]])
    assert.deepEqual(more, {
      domain: 'shop',
      descriptors: [{ ...first, hitsAddend: 12n }],
      hitsAddend: 12,
    })
    const less = amendment('shop', [[described[0]!, -12]])
    assert.deepEqual(less, {
      domain: 'shop',
      descriptors: [{ ...first, hitsAddend: 12n, isNegativeHits: true }],
      hitsAddend: 0,
    })
  })
})
