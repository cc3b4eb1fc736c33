import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { ciKubernetesTests, otherKubernetesTests } from '../../scripts/kubernetes-tests.ts'

test('each file of test/kubernetes runs in CI, or has a reason not to, and none has both', () => {
  const named = [...ciKubernetesTests, ...Object.keys(otherKubernetesTests)]
  assert.deepEqual(named.toSorted(), globSync('test/kubernetes/**/*.test.ts').sort())
})
