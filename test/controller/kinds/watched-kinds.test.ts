import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchedKinds } from '../../../src/controller/kinds/kinds.ts'

test('pods and pools are watched only where they are needed', () => {
  const usual = watchedKinds()
  assert.ok(usual.includes('Service'))
  assert.ok(!usual.includes('Pod') && !usual.includes('InferencePool'))
  assert.deepEqual(
    watchedKinds(['inferenceExtension']).filter((kind) => !usual.includes(kind)),
    ['InferencePool', 'Pod'],
  )
})

test('models are watched only where they are switched on', () => {
  const usual = watchedKinds()
  assert.ok(!usual.includes('ProxyModel'))
  assert.deepEqual(
    watchedKinds(['models']).filter((kind) => !usual.includes(kind)),
    ['ProxyModel'],
  )
})
