import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ciKubernetesTests, otherKubernetesTests } from '../../scripts/kubernetes-tests.ts'
import { tableRows } from '../support/table-rows.ts'

test('each file of test/kubernetes runs in CI, or has a reason not to, and none has both', () => {
  const named = [...ciKubernetesTests, ...Object.keys(otherKubernetesTests)]
  assert.deepEqual(named.toSorted(), globSync('test/kubernetes/**/*.test.ts').sort())
})

test('the page of the lab says where each of them runs', () => {
  const page = readFileSync('test/kubernetes/lab/README.md', 'utf8')
  const rows = tableRows(page, 'Tests')
  const said = rows.map(
    ([file = '', , where = '']) => `test/kubernetes/${file.replaceAll('`', '')}: ${where}`,
  )
  const listed = [
    ...ciKubernetesTests.map((file) => `${file}: CI`),
    ...Object.keys(otherKubernetesTests).map((file) => `${file}: by hand`),
  ]
  assert.deepEqual(said, listed.toSorted())
})
