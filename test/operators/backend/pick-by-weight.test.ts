import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throwError } from 'rxjs'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { respond } from '../../../src/model/exchange/reply.ts'
import { pickByWeight, type WeightedChoice } from '../../../src/operators/backend/pick-by-weight.ts'
import { retry } from '../../../src/operators/retry/retry.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { operatorLaws } from '../../../src/testing/operator-laws.ts'
import { run, runAsync } from '../../../src/testing/run.ts'
import { LeastRequest } from '../../../src/upstream/load-balancing/balancer.ts'
import { EndpointHealth } from '../../../src/upstream/load-balancing/outlier-detection.ts'

const choice = (name: string, weight = 1, status = 200): WeightedChoice => ({
  weight,
  pipeline: onRequest(name, (x) => {
    ;(x.policy.metadata ??= {}).by = [...((x.policy.metadata.by as string[] | undefined) ?? []), name]
    return respond(status, name)
  }),
})

/** A backend that refuses connections. */
const gone = (name: string): WeightedChoice => ({
  ...choice(name),
  condition: new EndpointHealth(),
  pipeline: () =>
    throwError(() => new Fault('upstream_connect', 'gone', { status: 503, reason: 'UpstreamFailure' })),
})

const answeredBy = (x: Exchange): string => ((x.policy.metadata?.by as string[] | undefined) ?? []).join(' ')

/** Which backends respond to a number of requests, in order. */
const turns = (choices: readonly WeightedChoice[], count: number): string => {
  const pick = pickByWeight(choices)
  return Array.from({ length: count }, () => answeredBy(run(pick, exchange()))).join('')
}

test('picking backends by weight', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(pickByWeight([choice('a'), choice('b')]))
    await operatorLaws(pickByWeight([choice('a')]))
    await operatorLaws(pickByWeight([]), { untraced: true })
    const condition = new EndpointHealth()
    const watched = [
      { ...choice('a'), condition },
      { ...choice('b'), condition },
    ]
    await operatorLaws(pickByWeight(watched, { balancer: new LeastRequest() }))
  })

  await t.test('gives equal backends exactly equal turns', () => {
    assert.equal(turns([choice('a'), choice('b')], 6), 'ababab')
    assert.equal(turns([choice('a', 7), choice('b', 7), choice('c', 7)], 6), 'abcabc')
  })

  await t.test('spreads the turns of unequal backends smoothly, and gives none to a weight of 0', () => {
    assert.equal(turns([choice('a', 5), choice('b', 1), choice('c', 1)], 14), 'aabacaaaabacaa')
    assert.equal(turns([choice('a', 1), choice('z', 0), choice('b', 3)], 8), 'babbbabb')
    const counts = turns([choice('a', 99), choice('b', 1)], 1_000)
    assert.equal(counts.replaceAll('a', '').length, 10)
  })

  await t.test('fails without backends', () => {
    const code = (choices: readonly WeightedChoice[]) => run(pickByWeight(choices), exchange()).reply?.code
    assert.deepEqual(
      [code([]), code([choice('a', 0), choice('b', 0)])],
      ['no_valid_backends', 'no_valid_backends'],
    )
  })

  await t.test('sends each retry to a backend that has not been tried', () => {
    const choices = [choice('a', 98, 503), choice('b', 1, 503), choice('c', 1, 503), choice('d', 0)]
    const again = (attempts: number) =>
      retry({ attempts, codes: [503], bufferLimitBytes: 1 }, pickByWeight(choices))
    const operator = again(2)
    for (let i = 0; i < 20; i++) {
      const tried = answeredBy(run(operator, exchange())).split(' ')
      assert.deepEqual(tried.sort(), ['a', 'b', 'c'])
    }
    const tried = answeredBy(run(again(9), exchange())).split(' ')
    assert.equal(tried.length, 10)
    assert.ok(
      tried.every((name, i) => name !== tried[i - 1] && name !== 'd'),
      'never the one that failed just now, nor one without weight',
    )
  })

  await t.test('skips an unhealthy backend, and restores its turns afterwards', () => {
    const health = new EndpointHealth()
    const a = { ...choice('a'), condition: health }
    const pick = pickByWeight([a, choice('b'), choice('c')])
    const next = () => answeredBy(run(pick, exchange()))
    health.checked(0, 'down')
    assert.deepEqual(Array.from({ length: 4 }, next), ['b', 'c', 'b', 'c'])
    health.checked(0, undefined)
    assert.deepEqual(Array.from({ length: 6 }, next).sort(), ['a', 'a', 'b', 'b', 'c', 'c'])
  })

  await t.test('uses all backends if none is available, or too few are', () => {
    const [a, b, c] = [new EndpointHealth(), new EndpointHealth(), new EndpointHealth()]
    const choices = [
      { ...choice('a'), condition: a },
      { ...choice('b'), condition: b },
      { ...choice('c'), condition: c },
    ]
    const all = (panicThreshold?: number) => {
      const pick = pickByWeight(choices, { panicThreshold })
      return new Set(Array.from({ length: 6 }, () => answeredBy(run(pick, exchange())))).size
    }
    a.checked(0, 'down')
    b.checked(0, 'down')
    assert.deepEqual([all(), all(0.3), all(0.5)], [1, 1, 3])
    c.checked(0, 'down')
    assert.equal(all(), 3)
  })

  await t.test('uses backends of a lower priority only as a fallback', () => {
    const health = new EndpointHealth()
    const primary = { ...choice('a'), condition: health }
    const pick = pickByWeight([primary, { ...choice('b'), priority: 1 }, { ...choice('c'), priority: 2 }])
    const next = () => answeredBy(run(pick, exchange()))
    assert.deepEqual(Array.from({ length: 3 }, next), ['a', 'a', 'a'])
    health.checked(0, 'down')
    assert.deepEqual(Array.from({ length: 3 }, next), ['b', 'b', 'b'])
    health.checked(0, undefined)
    assert.equal(next(), 'a')
  })

  await t.test('continues with the next backend if health is tracked and the connection fails', () => {
    const x = run(pickByWeight([gone('a'), gone('b'), choice('c')]), exchange())
    assert.equal(answeredBy(x), 'c')
    assert.throws(() => run(pickByWeight([gone('a'), gone('b')]), exchange()), { code: 'upstream_connect' })
  })

  await t.test('undoes the changes of a backend that refused the connection', () => {
    const { pipeline } = gone('a')
    const changing: WeightedChoice = {
      weight: 1,
      condition: new EndpointHealth(),
      pipeline: (source) =>
        pipeline(
          onRequest('change', ({ request }) => {
            request.headers.set('authorization', 'secret of a')
            request.path = '/a'
          })(source),
        ),
    }
    const x = run(pickByWeight([changing, choice('b')]), exchange({ path: '/x' }))
    assert.deepEqual([x.request.path, x.request.headers.get('authorization')], ['/x', undefined])
  })

  await t.test('counts active calls for least-request balancing', async () => {
    const held: (() => void)[] = []
    const slow: WeightedChoice = {
      weight: 1,
      pipeline: onRequest(
        'slow',
        () => new Promise((resolve) => held.push(() => resolve(respond(200, 'slow')))),
      ),
    }
    const pick = pickByWeight([slow, choice('b')], { balancer: new LeastRequest() })
    const waiting = runAsync(pick, exchange())
    assert.deepEqual(
      Array.from({ length: 3 }, () => answeredBy(run(pick, exchange()))),
      ['b', 'b', 'b'],
    )
    for (const free of held) free()
    assert.equal((await waiting).reply?.status, 200)
  })
})
