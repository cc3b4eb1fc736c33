import { Duration } from '@marcbachmann/cel-js/evaluator'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/cel/context/headers-view.ts'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { extAuthz, type ExtAuthzOptions } from '../../../src/operators/ext-authz/ext-authz.ts'
import {
  type Allowed,
  type AuthzClient,
  type Denied,
  undecided,
} from '../../../src/operators/ext-authz/check-result.ts'
import { DecisionCache } from '../../../src/operators/ext-authz/decision-cache.ts'
import { ConcurrencyLimit } from '../../../src/operators/concurrency-limit.ts'
import { exchange, ManualBody, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const allowed: Allowed = {
  allowed: true,
  removed: [],
  fields: [],
  query: { set: [], removed: [] },
  replyFields: [],
  metadata: undefined,
  isCacheable: true,
}
const denied: Denied = {
  allowed: false,
  status: 402,
  headers: new Headers(),
  body: Buffer.from('pay'),
  metadata: undefined,
  isCacheable: true,
}

const asked = (decide: AuthzClient, more: Partial<ExtAuthzOptions> = {}) =>
  extAuthz({
    decide,
    concurrencyLimit: new ConcurrencyLimit(10),
    failureMode: { denyWithStatus: 403 },
    resultHeaders: [],
    body: undefined,
    cache: undefined,
    held: { request: false, reply: false },
    bufferLimitBytes: 100,
    ...more,
  })

const says =
  (judgement: Allowed | Denied): AuthzClient =>
  () =>
    Promise.resolve(judgement)

test('extAuthz', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(asked(says(allowed)).request, { parks: true })
    await operatorLaws(asked(says(denied)).request, { parks: true })
    await operatorLaws(asked(says(allowed)).reply)
  })

  await t.test('sends the configured prefix of the body, and forwards the whole body', async () => {
    const seen: unknown[] = []
    const decide: AuthzClient = (_, body) => {
      seen.push(body && [body.bytes.toString(), body.isPartial])
      return Promise.resolve(allowed)
    }
    const body = { maxRequestBytes: 4, allowPartialMessage: true }
    const streamed = new ManualBody()
    const running = runAsync(asked(decide, { body }).request, exchange({ body: streamed }))
    streamed.send('on')
    streamed.send('e, two')
    streamed.end()
    const x = await running
    assert.equal(String(await x.request.body.read(100)), 'one, two')
    await runAsync(asked(decide, { body }).request, exchange({ body: 'one, two' }))
    await runAsync(asked(decide, { body }).request, exchange({ body: 'one' }))
    await runAsync(asked(decide, { body }).request, exchange())
    assert.deepEqual(seen, [
      ['one,', true],
      ['one,', true],
      ['one', false],
      ['', false],
    ])
    const strict = { maxRequestBytes: 4, allowPartialMessage: false }
    for (const long of ['one, two', new ManualBody(5)])
      assert.equal(
        (await runAsync(asked(decide, { body: strict }).request, exchange({ body: long }))).reply?.status,
        413,
      )
    assert.equal(seen.length, 4)
  })

  await t.test('refuses a request if the queue is too long', async () => {
    let answer: (judgement: Allowed) => void = () => undefined
    const decide: AuthzClient = () => new Promise((resolve) => (answer = resolve))
    const { request } = asked(decide, { concurrencyLimit: new ConcurrencyLimit(1) })
    const first = runAsync(request, exchange())
    assert.equal((await runAsync(request, exchange())).reply?.code, 'ext_authz_busy')
    answer(allowed)
    assert.equal((await first).reply, undefined)
    const third = runAsync(request, exchange())
    answer(allowed)
    assert.equal((await third).reply, undefined)
  })

  await t.test('distinguishes an unavailable service from a bug', async () => {
    const cannot = asked(() => Promise.reject(undecided('no idea')), { failureMode: { denyWithStatus: 401 } })
    const { reply } = await runAsync(cannot.request, exchange())
    assert.deepEqual([reply?.status, reply?.code, reply?.reason], [401, 'ext_authz_failed', 'ExtAuth'])
    assert.equal(reply?.headers.get('www-authenticate'), 'Bearer')
    const open = asked(() => Promise.reject(new TypeError('a bug')), { failureMode: 'allow' })
    await assert.rejects(runAsync(open.request, exchange()), TypeError)
  })

  await t.test('adds headers to the replies of allowed requests only', async () => {
    const replyFields = [{ name: 'x-by', value: 'decider', action: 'set' as const }]
    const { request, reply } = asked(says({ ...allowed, replyFields }))
    const x = await runAsync(request, exchange())
    x.reply = new Reply(200, new Headers(), emptyBody, 'Upstream')
    assert.equal(run(reply, x).reply?.headers.get('x-by'), 'decider')
    const other = exchange({ reply: new Reply(200, new Headers(), emptyBody, 'Upstream') })
    assert.equal(run(reply, other).reply?.headers.get('x-by'), undefined)
  })
})

test('authorizeExternally with a cache', async (t) => {
  const byPath: Evaluate = (x) => ({ value: x.request.path })
  const remembering = (ttl: Evaluate, key: Evaluate = byPath) => {
    const clock = { now: 1_000_000 }
    const remembered = new DecisionCache({ key: [key], ttl, maxEntries: 2, now: () => clock.now })
    return { clock, remembered }
  }
  const seconds = (s: number) => gives(new Duration(BigInt(s), 0))

  const counting = (judgement: Allowed | Denied = allowed) => {
    const counted = {
      calls: 0,
      decide: ((): Promise<Allowed | Denied> => {
        counted.calls++
        return Promise.resolve(judgement)
      }) as AuthzClient,
    }
    return counted
  }

  await t.test('sends one callout while a decision is cached, and replies at once then', async () => {
    const { clock, remembered: cache } = remembering(seconds(10))
    const counted = counting(denied)
    const { request } = asked(counted.decide, { cache })
    const first = await runAsync(request, exchange({ path: '/a' }))
    const second = run(request, exchange({ path: '/a' }))
    assert.notEqual(first.reply?.headers, second.reply?.headers, 'stages may change either')
    assert.deepEqual([first.reply?.status, second.reply?.status, counted.calls], [402, 402, 1])
    clock.now += 10_000
    await runAsync(request, exchange({ path: '/a' }))
    assert.equal(counted.calls, 2)
  })

  await t.test(
    'refreshes with one request shortly before the expiry, while others use the cache',
    async () => {
      const { clock, remembered: cache } = remembering(seconds(10))
      const answers: ((judgement: Allowed) => void)[] = []
      const decide: AuthzClient = () => new Promise((resolve) => answers.push(resolve))
      const { request } = asked(decide, { cache })
      const first = runAsync(request, exchange())
      answers[0]?.(allowed)
      await first
      clock.now += 9_000
      const asking = runAsync(request, exchange())
      run(request, exchange())
      assert.equal(answers.length, 2)
      answers[1]?.(allowed)
      await asking
      clock.now += 5_000
      run(request, exchange())
      assert.equal(answers.length, 2, 'the new answer holds from when it came')
    },
  )

  await t.test('uses the cached decision if the refresh fails', async () => {
    const { clock, remembered: cache } = remembering(seconds(10))
    let isWell = true
    const decide: AuthzClient = () => (isWell ? Promise.resolve(allowed) : Promise.reject(undecided('ill')))
    const { request } = asked(decide, { cache })
    await runAsync(request, exchange())
    isWell = false
    clock.now += 9_500
    assert.equal((await runAsync(request, exchange())).reply, undefined)
    clock.now += 500
    assert.equal((await runAsync(request, exchange())).reply?.code, 'ext_authz_failed')
  })

  const forgotten: Readonly<Record<string, readonly [Evaluate, Evaluate, boolean?]>> = {
    'without a key': [seconds(10), fails()],
    'without a time': [fails(), byPath],
    'for a number, which is no time': [gives(10n), byPath],
    'for no time': [seconds(0), byPath],
    'up to a time that is over': [gives(new Date(999_999)), byPath],
    'that are not the decision of a healthy service': [seconds(10), byPath, false],
  }
  for (const [name, [ttl, key, isCacheable = true]] of Object.entries(forgotten))
    await t.test(`caches no decisions ${name}`, async () => {
      const { remembered: cache } = remembering(ttl, key)
      const counted = counting({ ...allowed, isCacheable })
      const { request } = asked(counted.decide, { cache })
      await runAsync(request, exchange())
      await runAsync(request, exchange())
      assert.equal(counted.calls, 2)
    })

  await t.test('drops a cached decision on a response that must not be cached', async () => {
    const ttl: Evaluate = (x) => (x.policy.extAuthz ? { value: new Duration(10n, 0) } : { error: 'none' })
    const { clock, remembered: cache } = remembering(ttl)
    let judgement: Allowed | Denied = { ...allowed, metadata: { ok: true } }
    const { request } = asked(() => Promise.resolve(judgement), { cache })
    await runAsync(request, exchange())
    judgement = denied
    clock.now += 9_000
    assert.equal((await runAsync(request, exchange())).reply?.status, 402)
    const asking = runAsync(request, exchange())
    assert.equal((await runAsync(request, exchange())).reply?.status, 402, 'nobody goes by the old one')
    await asking
  })

  await t.test('distinguishes credentials, although they are redacted', async () => {
    const wrappings: readonly ((secret: Secret) => unknown)[] = [
      (secret) => secret,
      (secret) => [secret],
      (secret) => new Map([['a', { deep: [secret] }]]),
    ]
    for (const wrap of wrappings) {
      const byToken: Evaluate = (x) => ({ value: wrap(new Secret(x.request.headers.get('x-token') ?? '')) })
      const { remembered: cache } = remembering(seconds(10), byToken)
      const counted = counting()
      const { request } = asked(counted.decide, { cache })
      for (const token of ['one', 'other', 'one', 'other'])
        await runAsync(request, exchange({ headers: { 'x-token': token } }))
      assert.equal(counted.calls, 2)
    }
  })

  await t.test('accepts a timestamp, and evicts the least recently used entry', async () => {
    const { remembered: cache } = remembering(gives(new Date(1_010_000)))
    const counted = counting()
    const { request } = asked(counted.decide, { cache })
    for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await runAsync(request, exchange({ path }))
    assert.equal(counted.calls, 4)
  })
})
