import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import {
  initialMetadata,
  evaluateAttributes,
  attributesByNamespace,
} from '../../../src/operators/ext-proc/attributes.ts'
import { exchange } from '../../../src/testing/index.ts'

const value =
  (given: unknown): Evaluate =>
  () => ({ value: given })
const failing: Evaluate = () => ({ error: 'on purpose' })
const x = exchange()

test('attributes for a processor', async (t) => {
  await t.test('are JSON, without absent values', () => {
    const values = [
      ['text', value('a')],
      ['whole', value(3n)],
      ['list', value([1n, new Map([['a', true]])])],
      ['infinite', value(Infinity)],
      ['nothing', value(undefined)],
      ['failing', failing],
    ] as const
    assert.deepEqual(evaluateAttributes(x, values), {
      text: 'a',
      whole: 3,
      list: [1, { a: true }],
      infinite: null,
    })
  })

  await t.test('of every message leave out those that were sent before', () => {
    const namespaces = [
      ['shop', [['a', value(1)]]],
      ['agentgateway.dev.grpc_initial_metadata', [['b', value(2)]]],
    ] as const
    assert.deepEqual(attributesByNamespace(x, namespaces), { shop: { a: 1 } })
    assert.deepEqual(initialMetadata(x, namespaces), [['b', '2']])
  })

  await t.test('that are sent before fit into gRPC metadata, except reserved names', () => {
    const ahead = (name: string, given: unknown) =>
      initialMetadata(x, [['agentgateway.dev.grpc_initial_metadata', [[name, value(given)]]]])
    assert.deepEqual(ahead('X-A', 'text'), [['x-a', 'text']])
    assert.deepEqual(ahead('x-a', true), [['x-a', 'true']])
    for (const [name, given] of [
      ['x-a', [1]],
      ['x-a', null],
      ['x-a', 'two\nlines'],
      ['x-a', 'é'],
      ['x-a', ''],
      ['x-a-bin', 'a'],
      ['grpc-timeout', '1S'],
      ['content-type', 'text/plain'],
      ['a b', 'a'],
      [':path', '/'],
    ] as const)
      assert.deepEqual(ahead(name, given), [], name)
  })
})
