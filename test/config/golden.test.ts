import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtures, normalized, problemsOf, warningsOf } from './fixtures.ts'

test('an invalid configuration', async (t) => {
  const cases = fixtures('bad', '.txt')
  assert.ok(cases.length >= 70)
  for (const { name, file, text, expected } of cases) {
    await t.test(`is refused with all of its problems: ${name}`, () => {
      assert.equal(`${problemsOf(text, file)}\n`, expected)
    })
  }
})

test('a valid configuration', async (t) => {
  const cases = fixtures('good', '.normalized.json')
  assert.ok(cases.length >= 12)
  for (const { name, file, text, expected } of cases) {
    await t.test(`becomes resources: ${name}`, () => {
      assert.deepEqual(normalized(text, file), JSON.parse(expected))
    })
  }
})

test('a suspicious configuration', async (t) => {
  const cases = fixtures('warnings', '.txt')
  assert.ok(cases.length >= 5)
  for (const { name, file, text, expected } of cases) {
    await t.test(`loads with warnings: ${name}`, () => {
      assert.equal(`${warningsOf(text, file).join('\n')}\n`, expected)
    })
  }
})
