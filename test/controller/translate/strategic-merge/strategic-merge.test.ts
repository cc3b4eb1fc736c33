import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonMap } from '../../../../src/controller/translate/strategic-merge/directives.ts'
import { strategicMerge } from '../../../../src/controller/translate/strategic-merge/strategic-merge.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'

interface Variable {
  readonly name: string
  readonly value?: string
}

const withEnvironment = (env: readonly Variable[], more: object = {}): JsonMap => ({
  spec: { template: { spec: { containers: [{ name: 'proxy', env, ...more }] } } },
})

const variables = (count: number): readonly Variable[] =>
  Array.from({ length: count }, (_, index) => ({ name: `V${String(index)}`, value: 'a' }))

/** The names of the variables of a merged Deployment. */
const namesIn = (merged: ReturnType<typeof strategicMerge>): readonly string[] => {
  assert.ok('value' in merged, JSON.stringify(merged))
  const { spec } = merged.value as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: [{ readonly env: Variable[] }] } }
    }
  }
  return spec.template.spec.containers[0].env.map(({ name }) => name)
}

/** What `kubectl patch --local --type=strategic` makes of the same is compared in `test/kubernetes`. */
test('a strategic merge', async (t) => {
  await t.test('puts elements of the patch in its order, those of the original between them', () => {
    const merged = strategicMerge(
      'Deployment',
      withEnvironment([{ name: 'a' }, { name: 'b' }, { name: 'c' }]),
      withEnvironment([{ name: 'new' }, { name: 'c', value: '1' }, { name: 'a' }]),
    )
    assert.deepEqual(namesIn(merged), ['new', 'b', 'c', 'a'])
  })

  await t.test('takes time in proportion to long lists, in the order of a directive as well', () => {
    const long = variables(30_000)
    const order = { '$setElementOrder/env': long.map(({ name }) => ({ name })) }
    const deleted = long.map((one) => ({ ...one, $patch: 'delete' }))
    const began = cpuTimeMs()
    const merged = strategicMerge(
      'Deployment',
      withEnvironment([{ name: 'own' }]),
      withEnvironment(long, order),
    )
    assert.equal(namesIn(merged).length, long.length + 1)
    const emptied = strategicMerge('Deployment', withEnvironment(long), withEnvironment(deleted))
    assert.deepEqual(namesIn(emptied), [])
    // A comparison of all with all would take a minute.
    assert.ok(cpuTimeMs() - began < 10_000)
  })

  await t.test('takes names of inherited properties for those of fields', () => {
    const patch = JSON.parse('{"spec":{"__proto__":{"replicas":7},"constructor":{"a":1}}}') as JsonMap
    const merged = strategicMerge('Deployment', { spec: { paused: true } }, patch)
    assert.ok('value' in merged)
    assert.equal(
      JSON.stringify(merged.value),
      '{"spec":{"paused":true,"__proto__":{"replicas":7},"constructor":{"a":1}}}',
    )
    assert.equal((merged.value.spec as { readonly replicas?: number }).replicas, undefined)
  })
})
