import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '../../../src/model/reply.ts'
import { pickByWeight } from '../../../src/operators/backend/pick-by-weight.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { operatorLaws } from '../../../src/testing/operator-laws.ts'
import { run } from '../../../src/testing/run.ts'

const choice = (name: string, weight: number) => ({
  weight,
  pipeline: onRequest(name, () => respond(200, name)),
})

/** What answers, for what chance gives. */
const picked = (weights: readonly number[], random = 0) => {
  const x = run(
    pickByWeight(
      weights.map((weight, i) => choice(`backend${i}`, weight)),
      () => random,
    ),
    exchange(),
  )
  return x.reply?.code ?? x.reply?.body
}

test('picking by weight', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(pickByWeight([choice('a', 1), choice('b', 1)], () => 0.7))
    await operatorLaws(pickByWeight([choice('a', 1)], () => 0))
    await operatorLaws(
      pickByWeight([], () => 0),
      { untraced: true },
    )
  })

  await t.test('gives each backend its share, and none to a weight of 0', () => {
    const body = (name: string) => respond(200, name).body
    for (const [random, name] of [
      [0, 'backend0'],
      [0.24, 'backend0'],
      [0.25, 'backend2'],
      [0.999, 'backend2'],
    ] as const)
      assert.deepEqual(picked([1, 0, 3], random), body(name))
  })

  await t.test('is an error where there is nothing to pick', () => {
    assert.deepEqual([picked([]), picked([0, 0])], ['no_valid_backends', 'no_valid_backends'])
  })
})
