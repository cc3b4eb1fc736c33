import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { conformance, conformancePage, unexplained } from '../../scripts/generate-cel-conformance.ts'

test('the conformance tests of CEL', async (t) => {
  const findings = conformance()
  const passed = findings.filter(({ result }) => result === 'passed')

  await t.test('pass or fail as docs/reference/cel-conformance.md states, one by one', async () => {
    const written = readFileSync(new URL('../../docs/reference/cel-conformance.md', import.meta.url), 'utf8')
    assert.equal(await conformancePage(findings), written)
  })

  await t.test('pass in every file about features that the gateway supports', () => {
    assert.ok(passed.length >= 1_366, `${passed.length} passed`)
    for (const file of [
      'conversions',
      'fp_math',
      'integer_math',
      'lists',
      'macros',
      'math_ext',
      'plumbing',
      'string',
    ])
      assert.deepEqual(
        findings.filter((one) => one.file === file && one.result !== 'passed').map(({ name }) => name),
        [],
        file,
      )
  })

  await t.test('fail only for documented reasons', () => {
    assert.deepEqual(unexplained(findings), [])
  })
})
